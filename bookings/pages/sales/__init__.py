"""Pages of open classes, places, links to classes and bank transfers."""
