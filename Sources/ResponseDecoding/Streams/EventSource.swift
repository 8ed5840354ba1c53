public import HTTPMessages

/// Server-sent events with automatic reconnection (WHATWG HTML, section 9.2).
///
/// ```swift
/// let events = EventSource(request) { try await transport.stream($0) }
/// for try await event in events { show(event.data) }
/// ```
///
/// Each iterator has its own connection, opened by the first call of `next()` and closed when the iterator is released
/// or its task is cancelled. Missed events are requested with `Last-Event-ID`. The sequence ends when the server
/// answers 204, and throws ``EventSourceError`` for other final responses.
///
/// Streams may be silent for a long time: set the request's idle timeout above the longest silence, or to nil.
public struct EventSource: AsyncSequence, Sendable {
    /// Sends a request and returns once the response head is received.
    public typealias Connect = @Sendable (HTTPRequest) async throws -> HTTPResponseStream
    /// An event.
    public typealias Element = ServerSentEvent
    /// ``EventSourceError``, ``StreamDecodingError``, or an error of connecting or reading.
    public typealias Failure = any Error

    /// The request; `Accept` and `Last-Event-ID` are set for each connection, and the cache policy `.noStore` unless
    /// it has another one than `.standard`.
    public let request: HTTPRequest
    /// Backoff and limit of reconnection.
    public let policy: ReconnectionPolicy
    private let lastEventID: String
    private let maximumLength: Int
    private let sleep: @Sendable (Duration) async throws -> Void
    private let makeGenerator: @Sendable () -> any RandomNumberGenerator
    private let isTemporary: @Sendable (any Error) -> Bool
    private let connect: Connect

    /// Creates an event source.
    /// - Parameters:
    ///   - request: the request; a body must be replayable to reconnect.
    ///   - policy: backoff and limit of reconnection.
    ///   - lastEventID: the ID of the last event received earlier; empty for none.
    ///   - maximumLength: maximum bytes of a line, and of an event's type and data together.
    ///   - clock: the clock for the backoff.
    ///   - generator: source of the jitter; each iterator has its own copy.
    ///   - isTemporary: true if an error of `connect` or of the response body permits reconnection. Default false for
    ///     errors of this package that would recur, such as an untrusted certificate or a `Retry-After` that is too
    ///     long; true for a lost connection, an open circuit, and all errors of other modules.
    ///   - connect: sends the request through a transport; include `Redirecting` to follow redirects.
    public init(
        _ request: HTTPRequest, policy: ReconnectionPolicy = ReconnectionPolicy(), lastEventID: String = "",
        maximumLength: Int = LineParser.defaultMaximumLength, clock: some Clock<Duration> = ContinuousClock(),
        generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        isTemporary: @escaping @Sendable (any Error) -> Bool = Self.isTemporary,
        connect: @escaping Connect
    ) {
        self.request = request
        self.policy = policy
        self.lastEventID = lastEventID
        self.maximumLength = maximumLength
        sleep = { try await clock.sleep(for: $0) }
        makeGenerator = { generator }
        self.isTemporary = isTemporary
        self.connect = connect
    }

    /// The default of the errors that permit reconnection.
    @usableFromInline static func isTemporary(_ error: any Error) -> Bool {
        switch error {
        case let error as any ReconnectableError: error.permitsReconnection
        case let error as any HTTPStatusError: error.status.isTemporary
        default: !(error is any PatchbayError)
        }
    }

    /// Creates an iterator, which connects when `next()` is first called.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Iterates over events, reconnecting if necessary.
    public struct Iterator: AsyncIteratorProtocol {
        private typealias Events = ParsedSequence<HTTPBodyChunks, ServerSentEventParser>

        private let source: EventSource
        private var state: EventSourceState
        private var generator: any RandomNumberGenerator
        private var events: Events.Iterator?
        private var isFinished = false
        private var hasConnected = false
        /// The request of each connection: one call, which does not go on as the next user.
        private let request: HTTPRequest

        fileprivate init(_ source: EventSource) {
            self.source = source
            state = EventSourceState(policy: source.policy, lastEventID: source.lastEventID)
            generator = source.makeGenerator()
            var request = source.request
            request.options.beginCall()
            // A cache would give the same events to each connection.
            if request.options.cachePolicy == .standard { request.options.cachePolicy = .noStore }
            self.request = request
        }

        /// The ID of the last event, to continue with another source; empty if there is none.
        public var lastEventID: String { state.lastEventID }

        /// Returns the next event; nil after the server answered 204.
        /// - Throws: ``EventSourceError``; ``StreamDecodingError`` for an event that is too large; an error of
        ///   `connect` that is not temporary; `CancellationError`. After an error the sequence has ended.
        public mutating func next() async throws -> ServerSentEvent? { try await next(isolation: #isolation) }

        /// Returns the next event; nil after the server answered 204.
        /// - Throws: as ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            do {
                while !isFinished {
                    if let event = try await advance(isolation: actor) { return event }
                }
                return nil
            } catch {
                finish()
                throw error
            }
        }

        /// Performs one step: connects, reads an event, or handles the end of a connection.
        private mutating func advance(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            guard events != nil else {
                try await open(isolation: actor)
                return nil
            }
            let result = await read(isolation: actor)
            if let parser = events?.parser { _ = state.handle(.received(by: parser), using: &generator) }
            switch result {
            case .success(let event?):
                return event
            case .success(nil):
                try await perform(.ended, isolation: actor)
            case .failure(let error):
                try rethrowFinal(error)
                try await perform(.failed, isolation: actor)
            }
            return nil
        }

        private mutating func read(isolation actor: isolated (any Actor)?) async -> Result<ServerSentEvent?, any Error>
        {
            do { return .success(try await events?.next(isolation: actor)) } catch { return .failure(error) }
        }

        private mutating func open(isolation actor: isolated (any Actor)?) async throws {
            guard !hasConnected || source.request.body.isReplayable else {
                throw HTTPMessageError(
                    .bodyAlreadyRead,
                    "Cannot reconnect: the request body is a stream, which can be sent only once; use bytes or a file."
                )
            }
            hasConnected = true
            var request = request
            request.fields = request.fields.merging(state.fields)
            do {
                let response = try await source.connect(request)
                events = response.body.serverSentEvents(
                    lastEventID: state.lastEventID, maximumLength: source.maximumLength
                ).makeAsyncIterator()
                try await perform(.connected(response.status, response.mediaType), isolation: actor)
            } catch let error as EventSourceError {
                throw error
            } catch {
                try rethrowFinal(error)
                try await perform(.failed, isolation: actor)
            }
        }

        /// Passes an input to the state machine and performs its action.
        private mutating func perform(_ input: EventSourceState.Input, isolation actor: isolated (any Actor)?)
            async throws
        {
            switch state.handle(input, using: &generator) {
            case .read:
                return
            case .reconnect(let delay, _):
                events = nil
                try await source.sleep(delay)
            case .giveUp(var error):
                finish()
                error.failingURL = source.request.redactedURL
                if error.code != .noContent { throw error }
            }
        }

        /// Rethrows an error that does not permit reconnection.
        private func rethrowFinal(_ error: any Error) throws {
            let isFinal =
                error is StreamDecodingError || error is CancellationError || Task.isCancelled
                || (error as? any RecurringError)?.isRecurring == true
            if isFinal || !source.isTemporary(error) { throw error }
        }

        private mutating func finish() {
            isFinished = true
            events = nil
        }
    }
}

@available(*, unavailable)
extension EventSource.Iterator: Sendable {}
