"""Which version of the service this is: what ``info.version`` of the API's description says."""

VERSION = "0.1.0"
