"""What the studio and the service share: the guard of requests, errors, OpenAPI, the socket."""
