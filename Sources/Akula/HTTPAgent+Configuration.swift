public import Delegation
import HTTPMessages
public import Transport

/// The error of ``HTTPAgent/configure(transport:)``.
public typealias AKConfigurationError = FacadeConfigurationError

extension HTTPAgent where Base == AnyTransport {
    /// Creates an agent over the transport of all agents; see ``configure(transport:)``.
    public convenience init() { self.init(transport: AnyTransport(ConfiguredTransport())) }

    /// Creates an agent over a transport of its own: a stack of layers, or a fake one in tests.
    public convenience init(transport: some Transport) { self.init(transport: AnyTransport(transport)) }

    /// Sets the transport of all agents without one of their own, `AKHTTPAgent()` and `AKServerAgent()`, and of
    /// ``AKSession``. Call it once, before the first call of such an agent.
    ///
    /// ```swift
    /// try AKServerAgent.configure(transport: URLSessionTransport.shared.keepingCookies().redirecting(.akula))
    /// ```
    /// The transport replaces the default, which is `URLSessionTransport.shared.redirecting(.akula)`. Pass
    /// `URLSessionTransport.shared` to follow no redirects.
    /// - Throws: ``AKConfigurationError`` (`alreadyConfigured`, `alreadyInUse`); nothing changes then.
    public static func configure(transport: some Transport) throws(AKConfigurationError) {
        try ConfiguredTransport.shared.configure { AnyTransport(transport) }
    }
}

/// Sends each request through the configured transport, so that agents may be created before it is configured.
struct ConfiguredTransport: StreamingTransport {
    static let shared = SharedInstance(
        "The transport of Akula's agents", configuredBy: "AKServerAgent.configure(transport:)", before: "the first call"
    ) { AnyTransport.akula }

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await Self.shared.value.send(request, observer: observer)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await Self.shared.value.stream(request, observer: observer)
    }
}
