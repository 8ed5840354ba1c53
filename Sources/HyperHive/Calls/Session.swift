import Synchronization

/// Configuration and token of a client, as one call sees them.
struct Session: Sendable {
    var configuration: HyperHiveConfiguration?
    var token: String?
    /// The login of the last sign-in; empty before.
    var login = ""
    /// The schema; nil until it was loaded.
    var schema: ResourceSchema?
    /// Counts changes of configuration and user, so that a call that began before one does not undo it.
    var generation = 0
}

/// Thread-safe holder of the current ``Session``.
final class CurrentSession: Sendable {
    private let session: Mutex<Session>

    init(_ configuration: HyperHiveConfiguration?) { session = Mutex(Session(configuration: configuration)) }

    var value: Session { session.withLock { $0 } }

    /// Replaces the configuration, and drops the token and the schema.
    func configure(_ configuration: HyperHiveConfiguration) {
        session.withLock { $0 = Session(configuration: configuration, generation: $0.generation + 1) }
    }

    /// Stores a new token, unless the configuration or the user has changed since `generation`.
    func signIn(_ login: String, token: String, generation: Int) {
        session.withLock { session in
            guard session.generation == generation else { return }
            session = Session(
                configuration: session.configuration, token: token, login: login, generation: generation + 1)
        }
    }

    /// Drops the token and the schema.
    func signOut() {
        session.withLock { $0 = Session(configuration: $0.configuration, generation: $0.generation + 1) }
    }

    /// Drops a token that the server has refused, unless there is a newer one.
    func refuse(_ token: String) { session.withLock { if $0.token == token { $0.token = nil } } }

    /// Returns the schema; nil when it is not known, or when the configuration or the user has changed since
    /// `generation`.
    func schema(generation: Int) -> ResourceSchema? {
        session.withLock { $0.generation == generation ? $0.schema : nil }
    }

    /// Stores the schema, unless the configuration or the user has changed since `generation`.
    func setSchema(_ schema: ResourceSchema, generation: Int) {
        session.withLock { if $0.generation == generation { $0.schema = schema } }
    }
}
