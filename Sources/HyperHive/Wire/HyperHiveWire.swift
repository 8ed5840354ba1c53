public import HTTPMessages

/// Strategy that makes the HTTP requests of a client.
///
/// Some parts of the protocol are documented, others are not: the endpoint and the scheme of the sign-in, and the
/// endpoints of transactions. *Use* ``FMPWire``. *Implement* it for a server that differs, by changing its requests:
///
/// ```swift
/// struct OwnWire: HyperHiveWire {
///     let base = FMPWire()
///     func schemaRequest(
///         token: String?, _ configuration: HyperHiveConfiguration
///     ) throws -> HTTPRequest {
///         var request = try base.schemaRequest(token: token, configuration)
///         try request.fields.set("X-Tenant", to: "north")
///         return request
///     }
///     // ... the other methods call `base`
/// }
/// ```
///
/// Methods may be called on any thread. A client adds its timeouts and limits to the requests.
public protocol HyperHiveWire: Sendable {
    /// Makes the request that exchanges a login and a password for a token.
    /// - Throws: any error, such as `HTTPMessageError`; the call ends with it, and nothing is sent.
    func signInRequest(
        login: String, password: String, _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest

    /// Returns the token in a successful response to the sign-in; nil when it has none.
    func token(in response: HTTPResponse) -> String?

    /// Makes the request for the schema of all resources.
    func schemaRequest(token: String?, _ configuration: HyperHiveConfiguration) throws -> HTTPRequest

    /// Makes the request of a resource.
    func resourceRequest(
        _ resource: ResourceRequest, token: String?, _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest

    /// Makes the request for the transactions of a resource.
    func transactionsRequest(
        of resource: String, token: String?, _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest

    /// Returns the IDs in a successful response to ``transactionsRequest(of:token:_:)``; nil when it is not a list.
    func transactionIDs(in list: JSONValue) -> [String]?

    /// Makes the request that gets the response kept for a transaction, or deletes it.
    func transactionRequest(
        _ id: String, of resource: String, isDeletion: Bool, token: String?, _ configuration: HyperHiveConfiguration
    ) throws -> HTTPRequest
}
