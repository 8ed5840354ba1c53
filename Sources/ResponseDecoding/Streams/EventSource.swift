public import HTTPMessages

/// The events of an event stream that is connected again whenever it breaks off (WHATWG HTML, section 9.2).
///
/// ```swift
/// let events = EventSource(request) { try await transport.stream($0) }
/// for try await event in events { show(event.data) }
/// ```
///
/// Each iterator has a connection of its own, which is made when the first event is asked for and ends when the iterator
/// goes away or its task is cancelled. What was sent meanwhile is asked for with `Last-Event-ID`. The sequence ends when
/// the server answers 204, and throws ``EventSourceError`` when it says otherwise that there is nothing to wait for.
///
/// A stream may be silent for long: raise the request's idle deadline above the longest silence, or set it to nil.
public struct EventSource: AsyncSequence, Sendable {
    /// Sends a request and returns when the head of its response has come.
    public typealias Connect = @Sendable (HTTPRequest) async throws -> HTTPResponseStream
    /// An event.
    public typealias Element = ServerSentEvent
    /// ``EventSourceError``, ``StreamDecodingError``, or what connecting and reading throw.
    public typealias Failure = any Error

    /// What is sent; `Accept` and `Last-Event-ID` are set anew each time.
    public let request: HTTPRequest
    /// How long to wait before the next attempt, and how often.
    public let policy: ReconnectionPolicy
    private let lastEventID: String
    private let maximumLength: Int
    private let sleep: @Sendable (Duration) async throws -> Void
    private let makeGenerator: @Sendable () -> any RandomNumberGenerator
    private let isTemporary: @Sendable (any Error) -> Bool
    private let connect: Connect

    /// The events that a request leads to.
    /// - Parameters:
    ///   - request: what to send. Its body, if it has one, has to be replayable.
    ///   - policy: how long to wait before the next attempt, and how often.
    ///   - lastEventID: the id to go on from; empty for none.
    ///   - maximumLength: the most bytes of a line, and of an event's type and data together; more is an error.
    ///   - clock: measures the waiting.
    ///   - generator: decides the random part of a delay; each iterator has its own copy.
    ///   - isTemporary: true for an error of `connect`, or of the body that it brought, after which to try again. By
    ///     default every error is, except for `HTTPMessageError`, which would only come again.
    ///   - connect: sends the request through a transport of your choice, with redirects if they are to be followed.
    public init(
        _ request: HTTPRequest, policy: ReconnectionPolicy = ReconnectionPolicy(), lastEventID: String = "",
        maximumLength: Int = LineParser.standardMaximumLength, clock: some Clock<Duration> = ContinuousClock(),
        generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        isTemporary: @escaping @Sendable (any Error) -> Bool = { !($0 is HTTPMessageError) },
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

    /// An iterator, which connects when the first event is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads events, over as many connections as it takes.
    public struct Iterator: AsyncIteratorProtocol {
        private typealias Events = ParsedSequence<HTTPBodyChunks, ServerSentEventParser>

        private let source: EventSource
        private var state: EventSourceState
        private var generator: any RandomNumberGenerator
        private var events: Events.Iterator?
        private var isFinished = false
        private var hasConnected = false

        fileprivate init(_ source: EventSource) {
            self.source = source
            state = EventSourceState(policy: source.policy, lastEventID: source.lastEventID)
            generator = source.makeGenerator()
        }

        /// The id of the last event, with which another source can go on; empty when there is none.
        public var lastEventID: String { state.lastEventID }

        /// The next event; nil when the server wants no more connections.
        /// - Throws: ``EventSourceError``; ``StreamDecodingError`` for an event that is too large; what `connect` throws,
        ///   if it is not temporary or the task is cancelled. After an error there are no more events.
        public mutating func next() async throws -> ServerSentEvent? { try await next(isolation: #isolation) }

        /// The next event; nil when the server wants no more connections.
        /// - Throws: as ``next()`` does.
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

        /// Does one thing: connects, or reads an event, or comes to the end of a connection.
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
                try await tell(.ended, isolation: actor)
            case .failure(let error):
                try check(error)
                try await tell(.failed, isolation: actor)
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
                    "The event source has to reconnect and its request body can be sent only once; use bytes or a file."
                )
            }
            hasConnected = true
            var request = source.request
            request.fields = request.fields.replacing(with: state.fields)
            do {
                let response = try await source.connect(request)
                events = response.body.serverSentEvents(
                    lastEventID: state.lastEventID, maximumLength: source.maximumLength
                ).makeAsyncIterator()
                try await tell(.connected(response.status, response.mediaType), isolation: actor)
            } catch let error as EventSourceError {
                throw error
            } catch {
                try check(error)
                try await tell(.failed, isolation: actor)
            }
        }

        /// Tells the machine what happened, and does what it says.
        private mutating func tell(_ input: EventSourceState.Input, isolation actor: isolated (any Actor)?) async throws
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

        /// Throws an error after which no other attempt is made.
        private func check(_ error: any Error) throws {
            let isFinal = error is StreamDecodingError || error is CancellationError || Task.isCancelled
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
