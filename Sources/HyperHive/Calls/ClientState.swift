/// Configuration, settings and sign-in of a client.
struct ClientState: Sendable {
    var configuration: HyperHiveConfiguration?
    var options: HyperHiveOptions
    /// The token; nil without a sign-in, and once the server has refused it.
    var token: String?
    /// The user's schema; nil until it is loaded.
    var schema: ResourceSchema?
}
