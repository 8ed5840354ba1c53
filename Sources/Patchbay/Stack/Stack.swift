import Authentication
import Coordination
public import HTTPMessages
public import Transport

/// The layers of an app's calls over an engine, each in its right place.
///
/// ```swift
/// let stack = Stack.standard.authorizing(with: tokens, at: .baseURL).queued(in: queue)
/// let client = try APIClient("https://api.example.com", over: stack)
/// ```
///
/// Modifiers may be called in any order: the order of the layers is fixed, and `Documentation/Layers.md` gives the
/// reason for each place. Calling a modifier again replaces its layer: `authorizing` that for the same origins. Layers
/// of the app are added: of those with the same ``LayerScope`` a later one is outside the earlier ones. So write
/// `onResponse` first if it is to see what `modifyingRequests` adds. All layers use one clock.
///
/// A stack is a transport. Make it once and keep it: its copies share circuits and requests in flight. A modifier
/// returns a stack with layers of its own, which shares only the engine, queues, cookie jars and credentials.
public struct Stack: StreamingTransport {
    /// The positions of the layers, from the network outwards.
    enum Position: Int, CaseIterable {
        case limitingBandwidth, signing, observingAttempts, tracing, circuitBreaking, limiting, caching, keepingCookies
        case authorizingEachURL, compressingRequests, redirecting, authorizing, eachAttempt, queued, hedging, balancing
        case connectivity, retrying, coalescing, eachCall, observing
    }
    /// Positions of layers that must know when the call began.
    private static let beginningCalls: [Position] = [
        .authorizingEachURL, .authorizing, .eachAttempt, .coalescing, .eachCall,
    ]
    typealias Layer = @Sendable (AnyTransport, any Clock<Duration>) -> AnyTransport
    private struct Entry: Sendable {
        /// The origins of credentials, which have one layer; nil for a layer that stays beside others.
        let origins: AllowedOrigins?
        /// The name of a layer of the app.
        var name: String?
        /// The client that its credentials belong to, if they are those at `AllowedOrigins.baseURL`.
        var owner: BaseURLOwner?
        let layer: Layer
    }

    /// The transport under all layers.
    public let engine: AnyTransport
    private let clock: any Clock<Duration>
    /// The clock, as credentials and downloads use it.
    let monotonicClock: AnyMonotonicClock
    private let layers: [Position: [Entry]]
    private let transport: AnyTransport
    private let beginsCalls: Bool

    /// Creates a stack without layers.
    /// - Parameters:
    ///   - engine: sends the requests.
    ///   - clock: measures timeouts, waits and lifetimes in all layers.
    public init(
        over engine: some Transport = URLSessionTransport.shared, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(AnyTransport(engine), clock, AnyMonotonicClock(clock), [:])
    }

    private init(
        _ engine: AnyTransport, _ clock: any Clock<Duration>, _ monotonicClock: AnyMonotonicClock,
        _ layers: [Position: [Entry]]
    ) {
        self.engine = engine
        self.clock = clock
        self.monotonicClock = monotonicClock
        self.layers = layers
        beginsCalls = Self.beginningCalls.contains { layers[$0] != nil }
        transport = Position.allCases.reduce(engine) { base, position in
            layers[position, default: []].reduce(base) { $1.layer($0, clock) }
        }
    }

    /// Sends a request through all layers.
    /// - Throws: the errors of the layers and of the engine.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await transport.send(begun(request), observer: observer)
    }

    /// Sends a request through all layers and streams the response.
    /// - Throws: the errors of the layers and of the engine.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await transport.stream(begun(request), observer: observer)
    }

    /// The request of a call that begins now, before any layer waits: it belongs to the user of now.
    ///
    /// Without credentials, sharing and layers of the app the first layer that needs a call begins it, and others cost
    /// nothing.
    private func begun(_ request: HTTPRequest) -> HTTPRequest {
        guard beginsCalls else { return request }
        var request = request
        request.options.beginCall()
        return request
    }

    /// Returns a copy with the layer at a position replaced.
    func replacing(_ position: Position, owner: BaseURLOwner? = nil, _ layer: @escaping Layer) -> Stack {
        with(position, [Entry(origins: nil, owner: owner, layer: layer)])
    }

    /// Returns a copy with a layer added outside those at the same position. One for the same origins is replaced.
    func adding(
        _ position: Position, name: String? = nil, origins: AllowedOrigins? = nil, owner: BaseURLOwner? = nil,
        _ layer: @escaping Layer
    ) -> Stack {
        let others = layers[position, default: []].filter { origins == nil || $0.origins != origins }
        let entry = Entry(origins: origins, name: name, owner: owner, layer: layer)
        return with(position, others + [entry])
    }

    /// Returns a copy without the credentials of some origins.
    func removingCredentials(of origins: AllowedOrigins) -> Stack {
        [Position.authorizingEachURL, .authorizing].reduce(self) { stack, position in
            let kept = stack.layers[position]?.filter { $0.origins != origins } ?? []
            return stack.with(position, kept.isEmpty ? nil : kept)
        }
    }

    private func with(_ position: Position, _ new: [Entry]?) -> Stack {
        var layers = layers
        layers[position] = new
        return Stack(engine, clock, monotonicClock, layers)
    }
}

extension Stack: BaseURLClaiming {
    package func claimBaseURL(_ origin: Origin) {
        for entry in layers.values.joined() { entry.owner?.claim(origin) }
        (engine.base as? any BaseURLClaiming)?.claimBaseURL(origin)
    }
}

extension Stack: CustomStringConvertible {
    /// The layers, as a call meets them, and the type of the engine.
    ///
    /// A layer of the app has its name and how often it runs, such as `modifyingRequests(eachAttempt)`.
    public var description: String {
        let names = Position.allCases.reversed().flatMap { position in
            layers[position, default: []].reversed().map { $0.name.map { "\($0)(\(position))" } ?? "\(position)" }
        }
        return (names + ["\(type(of: engine.base))"]).joined(separator: " > ")
    }
}
