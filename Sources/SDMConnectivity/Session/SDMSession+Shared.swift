public import Delegation

extension SDMSession {
    /// The session of requests without one of their own: the network, unless ``configureShared(_:)`` sets another.
    public static var shared: SDMSession { sharedSession.value }

    /// Sets the shared session. Call it once, before the first request.
    ///
    /// ```swift
    /// try SDMSession.configureShared(SDMSession(transport: URLSessionTransport.shared.retrying(.standard)))
    /// ```
    /// - Throws: ``SDMConfigurationError`` (`alreadyConfigured`, `alreadyInUse`); nothing changes then.
    public static func configureShared(_ session: @autoclosure () -> SDMSession) throws(SDMConfigurationError) {
        try sharedSession.configure(session)
    }
}

/// The error of ``SDMSession/configureShared(_:)``.
public typealias SDMConfigurationError = FacadeConfigurationError

private let sharedSession = SharedInstance(
    "The shared session", configuredBy: "SDMSession.configureShared", before: "the first request"
) { SDMSession() }
