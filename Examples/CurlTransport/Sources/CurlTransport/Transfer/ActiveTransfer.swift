import CCurl
import Foundation
import HTTPMessages
import Transport

/// One transfer on the event thread, between libcurl's callbacks and the caller: a ``TransferState`` and its actions.
final class ActiveTransfer {
    /// The result of a data callback.
    enum Receive {
        case taken
        case pause
        case abort
    }
    enum Send {
        case bytes(Int)
        case pause
        case end
        case abort
    }
    /// A slot of the transfer's origin.
    enum Slot {
        case none
        /// The transfer waits for one, at this place of the queue.
        case awaited(OriginQueues<ActiveTransfer>.Ticket)
        case held
    }

    let call: Call
    private let context: LoopContext
    private(set) var state: TransferState
    /// The handle, while libcurl runs the transfer.
    var handle: EasyHandle?
    var slot = Slot.none
    /// True while bytes wait for the reader, or to be decoded.
    private var isReceivingPaused = false
    private(set) var isSendingPaused = false
    /// The error with which a callback has ended the transfer.
    private(set) var failure: TransportError?
    private var parser = ResponseHeadParser()
    /// The body, if it has a content coding.
    private var coded: CodedBody?
    /// The cost of a round of decoding, see ``LoopContext/decodingShare``.
    private var share: (round: Int, used: Int64) = (-1, 0)
    /// The pieces received in a round.
    private var pieces: (round: Int, count: Int, bytes: Int) = (-1, 0, 0)
    /// True once the server has sent a round of small pieces.
    private var readsLittle = false
    /// True from the last of ``LoopContext/maximumPieces`` until the next round.
    private var isYielding = false
    /// The round at whose end the transfer waits for another share.
    private var roundOfWait = -1
    /// True if an HTTP proxy gets the request itself.
    private var isSentToProxy = false
    private var report: TransferReport?
    /// The place of the transfer among those that were started.
    private var number = 0
    private var requestCount = 0
    /// The caller, until it is resumed.
    private var continuation: CheckedContinuation<HTTPResponse, any Error>?
    private let pipe: ResponseBodyPipe?
    /// Chunks for ``pipe``.
    private var staged = StagedChunks()
    /// True from a full ``pipe`` until the reader has made room.
    private var isPipeFull = false

    init(_ call: Call, in context: LoopContext) {
        self.call = call
        self.context = context
        switch call.recipient {
        case .buffered(let continuation): (self.continuation, pipe) = (continuation, nil)
        case .streamed(let continuation, let pipe): (self.continuation, self.pipe) = (continuation, pipe)
        }
        state = TransferState(call.request, isStreamed: pipe != nil, now: context.clock.now)
        context.note(state.deadline)
    }

    /// True when libcurl shall not read from the connection.
    var pausesReceiving: Bool { isReceivingPaused || isYielding }

    /// True once a request was about to be sent on a connection; always false with libcurl before 7.80.
    var hasSentRequest: Bool { requestCount > 0 }

    /// True for a response over HTTP/2.
    var isMultiplexed: Bool { parser.isHTTP2 && mayBeMultiplexed }

    /// True if the connection may use HTTP/2; a server without TLS may only claim it.
    var mayBeMultiplexed: Bool { call.target.isSecure || context.allowsPlainHTTP2 }

    /// The last HTTP/2 connection of the origin.
    var multiplexedConnection: SocketTable.ID? { context.multiplexedConnections[call.target.origin] }

    /// True if an HTTP proxy may get the request itself, without a tunnel.
    var mayUseProxy: Bool { !call.target.isSecure && context.mayUseProxy }

    /// True if the transfer was ended because of its response head.
    var failedInHead: Bool { failure?.code == .malformedResponse && state.head == nil }

    /// True if the server has announced the end of a connection since the transfer was started, perhaps of its own.
    var hasAnnouncedEnd: Bool { context.announcedEnds[call.target.origin].map { $0 >= number } ?? false }

    var isFinished: Bool { state.phase == .finished }

    /// True when the result is due: all has been received, or the transfer has failed, and nothing waits to be decoded.
    var hasEnded: Bool { !isFinished && (state.phase == .received || failure != nil) && !isDecoding }

    /// True while received bytes wait to be decoded.
    private var isDecoding: Bool { coded?.isPending ?? false }

    /// Starts the response timeout; libcurl has the transfer.
    func started() {
        state.started(now: context.clock.now)
        context.startCount += 1
        number = context.startCount
        if case .pumped(let pump) = call.body { pump.start() }
        context.note(state.deadline)
    }

    // MARK: libcurl's callbacks

    /// Handles one line of a head or a trailer.
    /// - Returns: false to end the transfer.
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard failure == nil, !isFinished else { return false }
        switch parser.parse(line) {
        case .none:
            // Only a complete head ends the response timeout; a line of a trailer extends the idle timeout.
            if state.phase == .receiving { state.bytesArrived(now: context.clock.now) }
        case .invalid(let problem):
            return abort(state.error(.malformedResponse, "\(problem)."))
        case .head:
            if state.head == nil { return receiveHead() }
            return abort(state.error(.malformedResponse, "Second response head received for one request."))
        }
        return true
    }

    private func receiveHead() -> Bool {
        var head = HTTPResponseHead(status: parser.status, fields: parser.fields, url: call.request.url)
        head.method = call.request.method
        if parser.status.code == 407 { head.isProxyChallenge = isSentToProxy }
        if state.carriesBody(head),
            case .invalid(let problem) = BodyFraming(parser.fields, isHTTP2: parser.isHTTP2)
        {
            return abort(state.error(.malformedResponse, "\(problem)."))
        }
        if let coding = head.fields[.contentEncoding], state.carriesBody(head),
            let decoder = context.codings.makeDecoder(for: coding)
        {
            coded = CodedBody(decoder)
            head.decodedContentCodings = coding
            head.fields.remove(.contentEncoding)
            head.fields.remove(.contentLength)
        }
        let report = TransferReport()
        head.transferReport = report
        self.report = report
        noteMultiplexing()
        finishSentBytes()
        if let error = state.headReceived(head, isDecoded: coded != nil, now: context.clock.now) {
            return abort(error)
        }
        call.relay?.send(.head(head))
        if pipe != nil {
            continuation.take()?.resume(returning: HTTPResponse(head: head))
        }
        context.note(state.deadline)
        return true
    }

    /// Notes that the origin speaks HTTP/2.
    private func noteMultiplexing() {
        guard isMultiplexed else { return }
        context.multiplexedOrigins.append(call.target.origin)
        guard let connection = handle?.connection else { return }
        context.multiplexedConnections[call.target.origin] = connection
    }

    /// Handles libcurl's text on a transfer: a server that goes away closes its connection in order.
    func receiveText(_ bytes: UnsafeRawBufferPointer) {
        guard ccurl_contains(bytes.baseAddress, bytes.count, "GOAWAY") != 0 else { return }
        context.announcedEnds[call.target.origin] = context.startCount
    }

    /// Handles the head of a request that libcurl sends: to an HTTP proxy with the whole URL (RFC 9112, section 3.2.2).
    func headSent(_ bytes: UnsafeRawBufferPointer) {
        let target = bytes.drop { $0 != UInt8(ascii: " ") }.dropFirst()
        isSentToProxy = target.starts(with: "http://".utf8)
    }

    /// Reports the bytes of a body that libcurl has copied.
    private func finishSentBytes() {
        guard let relay = call.relay, case .bytes(let data) = call.body, !data.isEmpty else { return }
        relay.send(.sentBytes(Int64(data.count), total: Int64(data.count)))
    }

    /// Handles bytes of the body.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Receive {
        guard failure == nil, !isFinished else { return .abort }
        guard state.head != nil else {
            _ = abort(state.error(.malformedResponse, "Response has a body without a head."))
            return .abort
        }
        if isPipeFull || isDecoding {
            isReceivingPaused = true
            state.setPaused(true, now: context.clock.now)
            return .pause
        }
        state.bytesArrived(now: context.clock.now)
        countPiece(bytes.count)
        guard coded != nil else { return deliver(bytes) ? .taken : .abort }
        coded?.append(bytes)
        return decode() ? .taken : .abort
    }

    /// Lets other transfers go on after a number of pieces.
    private func countPiece(_ size: Int) {
        let round = context.round
        pieces = pieces.round == round ? (round, pieces.count + 1, pieces.bytes + size) : (round, 1, size)
        guard pieces.count == context.maximumPieces, let handle else { return }
        if !readsLittle, pieces.bytes < context.maximumPieces * context.smallPiece {
            readsLittle = true
            handle.limitReading()
        }
        isYielding = true
        context.yielding.append(self)
        handle.applyPauses()
    }

    /// Goes on in a new round; may call libcurl's callbacks.
    func endYielding() {
        isYielding = false
        handle?.applyPauses()
    }

    /// Decodes received bytes until none are left, the reader's pipe is full, or the transfer's share is used up.
    private func decode() -> Bool {
        let round = context.round
        if share.round != round { share = (round, 0) }
        while isDecoding, !isPipeFull {
            guard share.used < context.decodingShare else {
                if roundOfWait != round { context.decoding.append(self) }
                roundOfWait = round
                break
            }
            do throws(InvalidCoding) {
                guard let count = try coded?.decode(into: context.scratch) else { break }
                share.used += Int64(max(count, context.minimumDecodingCost))
                guard deliver(UnsafeRawBufferPointer(rebasing: context.scratch[..<count])) else {
                    coded = nil
                    return false
                }
            } catch {
                let count = error.decoded
                guard deliver(UnsafeRawBufferPointer(rebasing: context.scratch[..<count])) else { return false }
                return abort(state.error(.undecodableContent, "Response body cannot be decoded: invalid data."))
            }
        }
        return true
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty else { return true }
        if let error = state.bodyReceived(bytes) { return abort(error) }
        call.relay?.send(.receivedBytes(state.received, total: state.expected))
        guard pipe != nil else { return true }
        if staged.isEmpty { context.staging.append(self) }
        staged.append(bytes, context.pool)
        context.staged.add(bytes.count, at: .now)
        if staged.isReady { flush() }
        return true
    }

    /// Hands the staged chunks to the reader.
    func flush() {
        guard !staged.isEmpty, let pipe else { return }
        if pipe.write(staged.take()) { isPipeFull = true }
    }

    /// Copies bytes of the request body.
    func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Send {
        guard failure == nil, !isFinished, case .pumped(let pump) = call.body else { return .abort }
        switch pump.read(into: buffer) {
        case .bytes(let count):
            state.bodySent(count, now: context.clock.now)
            call.relay?.send(.sentBytes(state.sent, total: pump.length))
            return .bytes(count)
        case .starved:
            isSendingPaused = true
            return .pause
        case .end:
            return .end
        case .failed(let error):
            _ = abort(.unreadableBody(call.request, error))
            return .abort
        }
    }

    /// Starts the request body again, for an idempotent request whose reused connection was closed.
    /// - Returns: false when that is impossible.
    func rewindBody() -> Bool {
        guard case .pumped(let pump) = call.body, pump.isReplayable, call.request.method.isIdempotent else {
            return false
        }
        pump.restart()
        state.restarted(now: context.clock.now)
        return true
    }

    /// Handles the start of a request on a connection.
    /// - Returns: false to end the transfer: the request was sent before, and must not be sent twice.
    func willSendRequest() -> Bool {
        guard failure == nil, !isFinished else { return false }
        requestCount += 1
        guard requestCount > 1 else { return true }
        // libcurl does not keep the pause for a new connection.
        isSendingPaused = false
        // libcurl asks for the body again only if it has sent a part of it, not if it has only read one.
        if call.request.method.isIdempotent, state.sent == 0 || rewindBody() { return true }
        return abort(
            state.error(
                .connectionLost,
                "Connection lost before the response; the request is not sent again, because it is not idempotent or its "
                    + "body cannot be read again."))
    }

    private func abort(_ error: TransportError) -> Bool {
        failure = failure ?? error
        return false
    }

    // MARK: The event loop

    /// Notes that the reader has made room in its pipe.
    func roomMade() { isPipeFull = false }

    /// Decodes further bytes.
    /// - Returns: true when libcurl may continue to receive.
    func continueReceiving() -> Bool {
        guard decode(), isReceivingPaused, !isPipeFull, !isDecoding else { return false }
        isReceivingPaused = false
        state.setPaused(false, now: context.clock.now)
        context.note(state.deadline)
        return true
    }

    /// - Returns: true when libcurl waits for bytes of the request body.
    func continueSending() -> Bool {
        defer { isSendingPaused = false }
        return isSendingPaused
    }

    /// Handles the end of the transfer in libcurl.
    /// - Parameters:
    ///   - failure: libcurl's failure; nil for success.
    ///   - isCut: true if libcurl has closed the connection of an HTTP/2 response without a reason that it tells.
    func networkEnded(
        _ failure: TransferFailure?, isCut: Bool = false, metrics: @autoclosure () -> TransferMetrics
    ) {
        if let failure { self.failure = self.failure ?? failure.error(in: state) }
        if isCut, let head = state.head, state.carriesBody(head), state.expected == nil, coded == nil {
            self.failure =
                self.failure
                ?? state.error(.truncated, "Response body truncated: its HTTP/2 connection failed before its end.")
        }
        state.networkEnded()
        guard self.failure == nil else { return }
        parser.end()
        report?.complete(metrics(), trailers: parser.trailers)
        if state.head == nil {
            let problem = parser.isInHead ? "Connection closed within the response head." : "Response has no head."
            self.failure = state.error(.malformedResponse, problem)
        }
    }

    /// The failure of the transfer, once ``hasEnded`` is true; nil for success.
    var error: TransportError? {
        if let failure { return failure }
        if let coded, !coded.isComplete {
            return state.error(.truncated, "Response body truncated: its content coding is incomplete.")
        }
        if let expected = state.expected, state.received < expected {
            return state.error(
                .truncated, "Response body truncated: \(state.received) of \(expected) bytes received.")
        }
        return nil
    }

    /// Ends the transfer, which is no longer in libcurl, and delivers its result once.
    /// - Returns: false when the observer gets its last events first; then the loop gets ``Command/delivered(_:)``.
    func finish(_ error: TransportError?) -> Bool {
        guard !isFinished else { return true }
        if case .pumped(let pump) = call.body { pump.cancel() }
        flush()
        let response = state.finish()
        coded = nil
        let continuation = continuation.take()
        let result: Result<HTTPResponse, any Error> =
            if let error { .failure(error) } else if let response { .success(response) } else {
                .failure(state.error(.malformedResponse, "Response has no head."))
            }
        let complete = { @Sendable [pipe] in
            continuation?.resume(with: result)
            pipe?.finish(error)
            return
        }
        guard let relay = call.relay else {
            complete()
            return true
        }
        let (mailbox, id) = (context.mailbox, call.id)
        let completion = { @Sendable in
            complete()
            mailbox.post(.delivered(id))
            return
        }
        if error?.code == .cancelled || error?.code == .timedOut {
            relay.abandon(completion)
        } else {
            relay.finish(completion)
        }
        context.note(state.deadline)
        return false
    }
}
