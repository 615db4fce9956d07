"""What other systems are told of classes: signed requests to addresses that the teacher chose."""
