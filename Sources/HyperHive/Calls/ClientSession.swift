import Coordination

/// The session of a client. Its user is the login of the sign-in.
typealias ClientSession = Session<ClientState, String>

extension ClientSession {
    /// Replaces the configuration, and drops the token and the schema.
    func configure(_ configuration: HyperHiveConfiguration) {
        reset { $0 = ClientState(configuration: configuration, options: $0.options) }
    }

    /// Drops the token and the schema.
    func signOut() { reset { $0 = ClientState(configuration: $0.configuration, options: $0.options) } }

    /// True if another user has signed in since a call began, or the configuration was changed.
    ///
    /// Also if the user has signed out again.
    func isReplaced(since start: Snapshot) -> Bool {
        hasOtherUser(since: start) || read(\.configuration) != start.value.configuration
    }
}
