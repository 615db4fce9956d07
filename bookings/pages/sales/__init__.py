"""Pages of open classes, seats, links to classes and bank transfers."""
