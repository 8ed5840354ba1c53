import Synchronization

/// Configuration, settings and token of a client, as one call sees them.
struct Session: Sendable {
    var configuration: HyperHiveConfiguration?
    var options: HyperHiveOptions
    var token: String?
    /// The login of the last sign-in; empty before.
    var login = ""
    /// The schema; nil until it was loaded.
    var schema: ResourceSchema?
    /// Number of changes of configuration and user; a call that began before one does not undo it.
    var generation = 0
    /// The login of the last sign-in, also after a sign-out.
    fileprivate var lastLogin = ""
    /// Number of sign-ins with another login than the one before.
    fileprivate var userChanges = 0
    /// Number of configurations and sign-outs, which end the sign-ins in flight.
    fileprivate var resets = 0
    /// Number of the token's sign-in, in the order in which sign-ins began; 0 without one.
    fileprivate var signIn = 0

    /// The session after a change of configuration, or a sign-out.
    fileprivate func reset(_ configuration: HyperHiveConfiguration?) -> Session {
        Session(
            configuration: configuration, options: options, generation: generation + 1, lastLogin: lastLogin,
            userChanges: userChanges, resets: resets + 1)
    }
}

/// Thread-safe holder of the current ``Session``.
final class CurrentSession: Sendable {
    private let session: Mutex<Session>
    private let signIns = Atomic(0)

    init(_ configuration: HyperHiveConfiguration?, _ options: HyperHiveOptions) {
        session = Mutex(Session(configuration: configuration, options: options))
    }

    var value: Session { session.withLock { $0 } }

    /// Changes the settings of later calls.
    func change(_ body: (inout HyperHiveOptions) -> Void) { session.withLock { body(&$0.options) } }

    /// Replaces the configuration, and drops the token and the schema.
    func configure(_ configuration: HyperHiveConfiguration) { session.withLock { $0 = $0.reset(configuration) } }

    /// The session of a new sign-in, without a token.
    func beginSignIn() -> Session {
        var session = value
        session.token = nil
        session.signIn = signIns.add(1, ordering: .relaxed).newValue
        return session
    }

    /// Stores the token of a sign-in, unless it is obsolete.
    ///
    /// It is if the configuration has changed, the user has signed out, or a sign-in that began later has succeeded.
    /// - Parameter call: what ``beginSignIn()`` returned.
    func signIn(_ login: String, token: String, by call: Session) {
        session.withLock { session in
            guard session.resets == call.resets, session.signIn < call.signIn else { return }
            session = Session(
                configuration: session.configuration, options: session.options, token: token, login: login,
                generation: session.generation + 1, lastLogin: login,
                userChanges: session.userChanges + (login == session.lastLogin ? 0 : 1), resets: session.resets,
                signIn: call.signIn)
        }
    }

    /// True when another user has signed in, or the configuration was changed, since a call began.
    func isReplaced(since call: Session) -> Bool {
        session.withLock { session in
            session.configuration != call.configuration || session.userChanges != call.userChanges
                || !session.login.isEmpty && session.login != call.login
        }
    }

    /// Drops the token and the schema.
    func signOut() { session.withLock { $0 = $0.reset($0.configuration) } }

    /// Drops a token that the server has refused, unless there is a newer one.
    func refuse(_ token: String) { session.withLock { if $0.token == token { $0.token = nil } } }

    /// Returns the schema; nil when it is unknown, or the session has another `generation`.
    func schema(generation: Int) -> ResourceSchema? {
        session.withLock { $0.generation == generation ? $0.schema : nil }
    }

    /// Stores the schema, unless the configuration or the user has changed since `generation`.
    func setSchema(_ schema: ResourceSchema, generation: Int) {
        session.withLock { if $0.generation == generation { $0.schema = schema } }
    }
}
