"""What the REST API's topics share: it translates, the gateway's handlers act."""
