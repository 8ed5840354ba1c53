public import HTTPMessages
public import Transport

/// A transport to be held against ``TransportConformance``: how it is made, and what it does otherwise.
///
/// ```swift
/// let network = ConformanceSubject(overSocket: "URLSessionTransport") { clock in URLSessionTransport(clock: clock) }
/// let fake = ConformanceSubject(inProcess: "FakeTransport") { answer in FakeTransport(answer) }
/// ```
public struct ConformanceSubject: Sendable, CustomStringConvertible {
    /// What not every transport has, and some cases need.
    public struct Ability: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The ability in words.
        public var description: String { name }

        /// It talks to a server over a socket, where a case decides on every byte.
        public static let socket = Ability("socket")
        /// It can fail as a network does.
        public static let faults = Ability("way to fail")
        /// It gives a response's body while it comes: a `StreamingTransport`.
        public static let streaming = Ability("streaming")
        /// Its deadlines are counted on a clock that a case can move.
        public static let clock = Ability("clock to move")
    }

    /// Answers in the place of a server.
    public typealias Answer = @Sendable (HTTPRequest) async throws -> HTTPResponse

    enum Maker: Sendable {
        case overSocket(@Sendable (any Clock<Duration>) -> any Transport)
        case inProcess(@Sendable (@escaping Answer) -> any Transport)
    }

    /// Names it in failures.
    public let name: String
    /// What it has.
    public let abilities: Set<Ability>
    /// The names of the cases to which it does not conform, and why.
    public let exclusions: [String: ConformanceExclusion]
    let maker: Maker

    /// The name.
    public var description: String { name }

    private init(
        _ name: String, _ abilities: Set<Ability>, _ exclusions: [String: ConformanceExclusion], _ maker: Maker
    ) {
        let transport =
            switch maker {
            case .overSocket(let make): make(ContinuousClock())
            case .inProcess(let make): make { $0.reply() }
            }
        self.name = name
        self.abilities = transport is any StreamingTransport ? abilities.union([.streaming]) : abilities
        self.exclusions = exclusions
        self.maker = maker
    }

    /// A transport that talks to a server over a socket.
    /// - Parameter transport: makes one; called for each case, and once to see whether it streams.
    public init(
        overSocket name: String, exclusions: [String: ConformanceExclusion] = [:],
        transport: @escaping @Sendable () -> any Transport
    ) {
        self.init(name, [.socket, .faults], exclusions, .overSocket { _ in transport() })
    }

    /// A transport that talks to a server over a socket and takes a clock for its deadlines.
    /// - Parameter transport: makes one with a clock; called for each case, and once to see whether it streams.
    public init(
        overSocket name: String, exclusions: [String: ConformanceExclusion] = [:],
        transport: @escaping @Sendable (any Clock<Duration>) -> any Transport
    ) {
        self.init(name, [.socket, .faults, .clock], exclusions, .overSocket(transport))
    }

    /// A transport without a socket, which gets its answers from a closure.
    /// - Parameters:
    ///   - passesErrors: whether an error of the closure's is the error of the call. Without that, no faults can be
    ///     played to it.
    ///   - transport: makes one around such a closure; called for each case, and once to see whether it streams.
    public init(
        inProcess name: String, passesErrors: Bool = true, exclusions: [String: ConformanceExclusion] = [:],
        transport: @escaping @Sendable (@escaping Answer) -> any Transport
    ) {
        self.init(name, passesErrors ? [.faults, .clock] : [], exclusions, .inProcess(transport))
    }
}

/// The reason why a subject does not conform to a case. A string literal is one.
public struct ConformanceExclusion: Hashable, Sendable, ExpressibleByStringLiteral {
    /// What happens when the case is run.
    public enum Effect: Hashable, Sendable {
        /// It fails. It is run all the same, to see that it still does.
        case fails
        /// It does not end. It is not run.
        case hangs
        /// It ends the process. It is not run.
        case endsProcess
    }

    /// The reason and, for a fault of another project's, the version that mends it.
    public let reason: String
    /// What happens when the case is run.
    public let effect: Effect

    private init(_ reason: String, effect: Effect) {
        self.reason = reason
        self.effect = effect
    }

    /// A reason for a case that fails.
    public init(stringLiteral reason: String) { self.init(reason, effect: .fails) }

    /// A reason for a case that does not end.
    public static func hangs(_ reason: String) -> Self { Self(reason, effect: .hangs) }

    /// A reason for a case that ends the process.
    public static func endsProcess(_ reason: String) -> Self { Self(reason, effect: .endsProcess) }
}
