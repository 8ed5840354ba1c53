import StoreCore

/// Identity of synchronized data: server, resource, parameters and user.
///
/// A stored version is valid only for an equal binding; any other binding causes a full load. The binding is stored in
/// plain text beside the rows, so leave passwords and tokens out of it.
public struct DeltaBinding: Hashable, Sendable {
    /// The server, such as `https://example.com`.
    public var server: String
    /// The environment on the server; empty if unused.
    public var environment: String
    /// The project on the server; empty if unused.
    public var project: String
    /// The resource that the rows come from.
    public var resource: String
    /// The request parameters in a canonical form; empty if unused.
    public var parameters: String
    /// The user that the rows belong to; empty when all users get the same rows. The same name as that of
    /// ``PendingEdits``, and of an outbox.
    public var user: String

    /// Creates a binding.
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

    /// Unambiguous text form, used for comparison.
    var text: String { LengthPrefixedList.text([server, environment, project, resource, parameters, user]) }

    /// True if rows of a binding have the edits of a user.
    /// - Parameters:
    ///   - text: the ``text`` of the binding; nil for rows that were never loaded.
    ///   - own: the binding of the rows that the edits were made in; nil if they were never loaded.
    static func has(_ text: String?, editsOf user: String, madeIn own: String?) -> Bool {
        if let own { return own == text }
        let owner = text.flatMap { LengthPrefixedList.elements($0) }?.last ?? ""
        return owner.isEmpty || user.isEmpty || owner == user
    }
}
