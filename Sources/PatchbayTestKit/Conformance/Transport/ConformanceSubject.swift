public import HTTPMessages
public import Transport

/// A transport under test by ``TransportConformance``: a factory, its capabilities and its exclusions.
///
/// ```swift
/// let network = ConformanceSubject(overSocket: "URLSessionTransport") { clock in URLSessionTransport(clock: clock) }
/// let fake = ConformanceSubject(inProcess: "FakeTransport") { handler in FakeTransport(handler) }
/// ```
public struct ConformanceSubject: TestSubject {
    /// An optional property of transports that some cases require.
    public struct Capability: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The capability as text.
        public var description: String { name }

        /// It talks to a server over a socket, so a case controls every byte.
        public static let socket = Capability("a socket")
        /// It can fail like a network.
        public static let faults = Capability("faults")
        /// It is a `StreamingTransport`.
        public static let streaming = Capability("streaming")
        /// Its deadlines use a clock that a case can advance.
        public static let clock = Capability("a manual clock")
    }

    /// A closure that acts as the server.
    public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

    enum Factory: Sendable {
        case overSocket(@Sendable (any Clock<Duration>) -> any Transport)
        case inProcess(@Sendable (@escaping Handler) -> any Transport)
    }

    /// The name in failures.
    public let name: String
    /// The subject's capabilities.
    public let capabilities: Set<Capability>
    /// The reasons for not conforming, by the name of the case.
    public let exclusions: [String: ConformanceExclusion]
    let factory: Factory

    private init(
        _ name: String, _ capabilities: Set<Capability>, _ exclusions: [String: ConformanceExclusion],
        _ factory: Factory
    ) {
        let transport =
            switch factory {
            case .overSocket(let make): make(ContinuousClock())
            case .inProcess(let make): make { $0.response() }
            }
        self.name = name
        self.capabilities = transport is any StreamingTransport ? capabilities.union([.streaming]) : capabilities
        self.exclusions = exclusions
        self.factory = factory
    }

    /// Creates a subject for a transport over a socket.
    /// - Parameter transport: a factory; called for each case, and once to check for streaming.
    public init(
        overSocket name: String, exclusions: [String: ConformanceExclusion] = [:],
        transport: @escaping @Sendable () -> any Transport
    ) {
        self.init(name, [.socket, .faults], exclusions, .overSocket { _ in transport() })
    }

    /// Creates a subject for a transport over a socket that takes a clock for its deadlines.
    /// - Parameter transport: a factory that takes the clock; called for each case, and once to check for streaming.
    public init(
        overSocket name: String, exclusions: [String: ConformanceExclusion] = [:],
        transport: @escaping @Sendable (any Clock<Duration>) -> any Transport
    ) {
        self.init(name, [.socket, .faults, .clock], exclusions, .overSocket(transport))
    }

    /// Creates a subject for a transport without a socket, which gets its responses from a closure.
    /// - Parameters:
    ///   - passesErrors: true when `send` throws the closure's error, and `stream` is that of a fake such as
    ///     `FakeTransport` or ``ScriptedTransport``; false excludes the cases with faults.
    ///   - transport: a factory that takes the closure; called for each case, and once to check for streaming.
    public init(
        inProcess name: String, passesErrors: Bool = true, exclusions: [String: ConformanceExclusion] = [:],
        transport: @escaping @Sendable (@escaping Handler) -> any Transport
    ) {
        self.init(name, passesErrors ? [.faults, .clock] : [], exclusions, .inProcess(transport))
    }
}
