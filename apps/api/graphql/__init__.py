"""What GraphQL's topics share: it translates, the gateway's handlers act."""
