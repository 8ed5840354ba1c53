/// What the rows of some tables depend on: whose they are, and what was asked for.
///
/// The version that is stored with the rows counts for the same binding alone. With any other the tables are loaded
/// anew. It is stored beside the rows, as it is; leave passwords and tokens out of it.
public struct DeltaBinding: Hashable, Sendable {
    /// The server, such as `https://example.com`.
    public var server: String
    /// The environment on the server; empty when there are none.
    public var environment: String
    /// The project on the server; empty when there are none.
    public var project: String
    /// What is loaded from it.
    public var resource: String
    /// The parameters of the request, in a form that is the same for the same parameters; empty when there are none.
    public var parameters: String
    /// Whose rows they are; empty when they are the same for everybody.
    public var user: String

    /// A binding.
    public init(
        server: String, environment: String = "", project: String = "", resource: String, parameters: String = "",
        user: String = ""
    ) {
        self.server = server
        self.environment = environment
        self.project = project
        self.resource = resource
        self.parameters = parameters
        self.user = user
    }

    /// A text that only an equal binding has.
    var text: String {
        // Each part has its length before it, so that none can pose as two.
        [server, environment, project, resource, parameters, user].map { "\($0.utf8.count):\($0)" }.joined()
    }
}
