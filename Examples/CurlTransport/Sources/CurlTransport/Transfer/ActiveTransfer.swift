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
    private(set) var isReceivingPaused = false
    private(set) var isSendingPaused = false
    /// The error with which a callback has ended the transfer.
    private(set) var failure: TransportError?
    private var parser = ResponseHeadParser()
    private var decoder: (any ContentDecoder)?
    /// Received bytes that wait for room in the reader's buffer, to be decoded.
    private var undecoded: [UInt8] = []
    /// True when the decoder may have further output for the bytes that it got.
    private var hasUndecodedOutput = false
    private var report: TransferReport?
    private var requestCount = 0
    /// The caller, until it is resumed.
    private var continuation: CheckedContinuation<HTTPResponse, any Error>?
    private let buffer: ResponseBuffer?
    /// Chunks for ``buffer``.
    private var staged = StagedChunks()
    /// True from a full ``buffer`` until the reader has made room.
    private var isBufferFull = false

    init(_ call: Call, in context: LoopContext) {
        self.call = call
        self.context = context
        switch call.recipient {
        case .buffered(let continuation): (self.continuation, buffer) = (continuation, nil)
        case .streamed(let continuation, let buffer): (self.continuation, self.buffer) = (continuation, buffer)
        }
        state = TransferState(call.request, isStreamed: buffer != nil, now: context.clock.now)
        context.note(state.deadline)
    }

    var isFinished: Bool { state.phase == .finished }

    /// True when the result is due: all has been received, or the transfer has failed, and nothing waits to be decoded.
    var hasEnded: Bool { !isFinished && (state.phase == .received || failure != nil) && !isDecoding }

    /// True while received bytes wait to be decoded.
    private var isDecoding: Bool { hasUndecodedOutput || !undecoded.isEmpty }

    /// Starts the response timeout; libcurl has the transfer.
    func started() {
        state.started(now: context.clock.now)
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
        if let coding = head.fields[.contentEncoding], state.carriesBody(head),
            let decoder = context.codings.makeDecoder(for: coding)
        {
            self.decoder = decoder
            head.decodedContentCodings = coding
            head.fields.remove(.contentEncoding)
            head.fields.remove(.contentLength)
        }
        let report = TransferReport()
        head.transferReport = report
        self.report = report
        if parser.isHTTP2 { context.multiplexedOrigins.append(call.target.origin) }
        finishSentBytes()
        if let error = state.headReceived(head, isDecoded: decoder != nil, now: context.clock.now) {
            return abort(error)
        }
        call.relay?.send(.head(head))
        if buffer != nil {
            continuation.take()?.resume(returning: HTTPResponse(head: head))
        }
        context.note(state.deadline)
        return true
    }

    /// Reports the bytes of a body that libcurl has copied.
    private func finishSentBytes() {
        guard let relay = call.relay, case .bytes(let data) = call.body, !data.isEmpty else { return }
        relay.send(.sentBytes(Int64(data.count), total: Int64(data.count)))
    }

    /// Handles bytes of the body.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Receive {
        guard failure == nil, !isFinished else { return .abort }
        if isBufferFull || isDecoding {
            isReceivingPaused = true
            state.setPaused(true, now: context.clock.now)
            return .pause
        }
        state.bytesArrived(now: context.clock.now)
        guard decoder != nil else { return deliver(bytes) ? .taken : .abort }
        var rest = bytes
        guard decode(&rest) else { return .abort }
        if !rest.isEmpty { undecoded = Array(rest) }
        return .taken
    }

    /// Decodes until the input is consumed, or the reader's buffer is full.
    private func decode(_ input: inout UnsafeRawBufferPointer) -> Bool {
        guard let decoder else { return true }
        while !input.isEmpty || hasUndecodedOutput {
            if isBufferFull { return true }
            do throws(InvalidCoding) {
                let before = input.count
                let count = try decoder.decode(&input, into: context.scratch)
                // A decoder must make progress, or this would not end.
                if count == 0, before > 0, input.count == before { throw InvalidCoding() }
                hasUndecodedOutput = count == context.scratch.count
                guard deliver(UnsafeRawBufferPointer(rebasing: context.scratch[..<count])) else {
                    hasUndecodedOutput = false
                    return false
                }
            } catch {
                hasUndecodedOutput = false
                return abort(state.error(.undecodableContent, "Response body cannot be decoded: invalid data."))
            }
        }
        return true
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty else { return true }
        if let error = state.bodyReceived(bytes) { return abort(error) }
        call.relay?.send(.receivedBytes(state.received, total: state.expected))
        guard buffer != nil else { return true }
        if staged.isEmpty { context.staging.append(self) }
        staged.append(bytes, context.pool)
        if staged.isReady { flush() }
        return true
    }

    /// Hands the staged chunks to the reader.
    func flush() {
        guard !staged.isEmpty, let buffer else { return }
        if buffer.write(staged.take()) { isBufferFull = true }
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

    /// Decodes further bytes after the reader has made room.
    /// - Returns: true when libcurl may continue to receive.
    func continueReceiving() -> Bool {
        isBufferFull = false
        if isDecoding {
            let bytes = undecoded
            undecoded = []
            var left = 0
            let isDone = bytes.withUnsafeBytes { bytes in
                var rest = bytes
                defer { left = rest.count }
                return decode(&rest)
            }
            guard isDone else { return false }
            if left > 0 { undecoded = Array(bytes.suffix(left)) }
        }
        guard isReceivingPaused, !isBufferFull, !isDecoding else { return false }
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
    /// - Parameter failure: libcurl's failure; nil for success.
    func networkEnded(_ failure: TransferFailure?, metrics: @autoclosure () -> TransferMetrics) {
        if let failure { self.failure = self.failure ?? failure.error(in: state) }
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
        if let decoder, !decoder.isComplete {
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
        decoder = nil
        undecoded = []
        let continuation = continuation.take()
        let result: Result<HTTPResponse, any Error> =
            if let error { .failure(error) } else if let response { .success(response) } else {
                .failure(state.error(.malformedResponse, "Response has no head."))
            }
        let complete = { @Sendable [buffer] in
            continuation?.resume(with: result)
            buffer?.finish(error)
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
