"""Offers, discount codes, open classes, links to classes and bank transfers."""
