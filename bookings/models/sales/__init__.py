"""Offers, discounts, open classes, links to classes and bank transfers."""
