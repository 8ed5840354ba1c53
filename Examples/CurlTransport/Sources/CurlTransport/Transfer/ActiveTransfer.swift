import Foundation
import HTTPMessages
import Transport

/// One transfer on the event thread, between libcurl's callbacks and the caller: a ``TransferState`` and its actions.
///
/// The callbacks are in extensions: for the response, and for the request.
final class ActiveTransfer: Deadlined {
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
    let context: LoopContext
    var state: TransferState
    /// The handle, while libcurl runs the transfer.
    var handle: EasyHandle?
    var slot = Slot.none
    var deadlineIndex: Int?
    /// The error with which a callback has ended the transfer.
    private(set) var failure: TransportError?
    /// True with a ``failure``, which is too large to be looked at for each event.
    private(set) var hasFailed = false
    /// True until the transfer fails or is finished; callbacks have no effect afterwards.
    private(set) var isOpen = true
    /// The place of the transfer among those that were started.
    private var number = 0
    /// The caller, until it is resumed.
    var caller: Completion.Caller?
    /// The result, until ``deliver()``.
    private var completion: Completion?

    // The response.
    var parser = ResponseHeadParser()
    /// The body, if it has a content coding.
    var coded: CodedBody?
    var report: TransferReport?
    let pipe: ResponseBodyPipe?
    /// Chunks for ``pipe``.
    var staged = StagedChunks()
    /// True from a full ``pipe`` until the reader has made room.
    var isPipeFull = false
    /// True while bytes wait for the reader, or to be decoded.
    var isReceivingPaused = false
    /// What the transfer has done in the round.
    var turn = TransferTurn()
    /// True from the last piece of a turn until the next round.
    var isYielding = false
    /// True once the server has sent a turn of small pieces.
    var readsLittle = false

    // The request.
    /// True while libcurl waits for further bytes of the body.
    var isSendingPaused = false
    /// True for a body that is sent after `100 (Continue)`, until the server refuses that (417).
    private(set) var expectsContinue: Bool
    /// True from status 417 until the request is sent again without the expectation.
    private(set) var isExpectationRefused = false
    var requestCount = 0
    /// True if an HTTP proxy gets the request itself.
    var isSentToProxy = false

    init(_ call: Call, in context: LoopContext) {
        self.call = call
        self.context = context
        switch call.recipient {
        case .buffered(let continuation), .connected(let continuation, _): (caller, pipe) = (continuation, nil)
        case .streamed(let continuation, let pipe): (caller, self.pipe) = (continuation, pipe)
        }
        expectsContinue = call.request.expectsContinue
        state = TransferState(call.request, isStreamed: pipe != nil, now: context.clock.now)
        context.note(self)
    }

    /// True when libcurl shall not read from the connection.
    var pausesReceiving: Bool { isReceivingPaused || isYielding }

    /// True once a request was about to be sent on a connection; always false with libcurl before 7.80.
    var hasSentRequest: Bool { requestCount > 0 }

    /// True for a response over HTTP/2.
    var isMultiplexed: Bool { parser.isHTTP2 && mayBeMultiplexed }

    /// True if the connection may use HTTP/2; a server without TLS may only claim it.
    var mayBeMultiplexed: Bool {
        call.target.isSecure || context.allowsPlainHTTP2 || call.request.options.httpVersion == .http2
    }

    /// The last HTTP/2 connection of the origin.
    var multiplexedConnection: SocketTable.ID? { context.multiplexedConnections[call.target.slotKey] }

    /// True if an HTTP proxy may get the request itself, without a tunnel. It is asked for first when libcurl gets the
    /// transfer, which reads the environment then.
    private(set) lazy var mayUseProxy = !call.target.isSecure && context.proxy.isPossible

    /// True if the server or a proxy may be reached by TLS.
    var mayUseTLS: Bool { call.target.isSecure || mayUseProxy }

    /// True if the transfer was ended because of its response head.
    var failedInHead: Bool { hasFailed && failure?.code == .malformedResponse && state.head == nil }

    /// True if the server has announced the end of a connection since the transfer was started, perhaps of its own.
    var hasAnnouncedEnd: Bool { context.announcedEnds[call.target.slotKey].map { $0 >= number } ?? false }

    var isFinished: Bool { state.phase == .finished }

    /// True when the result is due: all has been received, or the transfer has failed, and nothing waits to be decoded.
    var hasEnded: Bool { !isFinished && (state.phase == .received || hasFailed) && !isDecoding }

    /// True while received bytes wait to be decoded.
    var isDecoding: Bool { coded?.isPending ?? false }

    /// Starts the response timeout; libcurl has the transfer.
    func started() {
        state.started(awaitsContinue: expectsContinue, now: context.clock.now)
        context.startCount += 1
        number = context.startCount
        // Before `100 (Continue)` nothing is read: a refused stream can still be used, and a limit counts no bytes.
        if !expectsContinue, case .pumped(let pump) = call.body { pump.start() }
        context.note(self)
    }

    /// Handles status 417: the request is to be sent again without the expectation (RFC 9110, section 15.5.18).
    /// - Returns: false if that is impossible, since a part of the body was sent and cannot be read again.
    func refuseExpectation() -> Bool {
        guard case .pumped(let pump) = call.body, state.sent == 0 || pump.isReplayable else { return false }
        isExpectationRefused = true
        isOpen = false
        return true
    }

    /// Prepares the transfer for another start, after ``refuseExpectation()``.
    func reset() {
        handle = nil
        (expectsContinue, isExpectationRefused, isOpen) = (false, false, true)
        (isSendingPaused, requestCount) = (false, 0)
        parser = ResponseHeadParser()
        if case .pumped(let pump) = call.body, state.sent > 0 { pump.restart() }
        state.restarted(now: context.clock.now)
    }

    /// Handles the end of the transfer in libcurl.
    /// - Parameters:
    ///   - failure: libcurl's failure; nil for success.
    ///   - isCut: true if libcurl has closed the connection of an HTTP/2 response without a reason that it tells.
    func networkEnded(
        _ failure: TransferFailure?, isCut: Bool = false, metrics: @autoclosure () -> TransferMetrics
    ) {
        if let failure, !hasFailed { fail(failure.error(in: state)) }
        if isCut, !hasFailed, let head = state.head, state.carriesBody(head), state.expected == nil, coded == nil {
            fail(state.error(.truncated, "Response body truncated: its HTTP/2 connection failed before its end."))
        }
        state.networkEnded()
        guard !hasFailed else {
            self.failure?.metrics = metrics()
            return
        }
        parser.end()
        guard let report else {
            let problem = parser.isInHead ? "Connection closed within the response head." : "Response has no head."
            return fail(state.error(.malformedResponse, problem))
        }
        report.complete(metrics(), trailers: parser.trailers)
    }

    /// Ends the transfer with an error, unless it has one already.
    func fail(_ error: TransportError) {
        guard !hasFailed else { return }
        failure = error
        hasFailed = true
        isOpen = false
    }

    /// The failure of the transfer, once ``hasEnded`` is true; nil for success.
    var error: TransportError? {
        if hasFailed { return failure }
        if let coded, !coded.isComplete {
            return state.error(.truncated, "Response body truncated: its content coding is incomplete.")
        }
        if let expected = state.expected, state.received < expected {
            return state.error(
                .truncated, "Response body truncated: \(state.received) of \(expected) bytes received.")
        }
        return nil
    }

    /// Ends the transfer, and delivers its result once: by ``LoopContext/deliver()``, or by its observer's relay.
    /// - Returns: false when the observer gets its last events first; then the loop gets ``Command/delivered(_:)``.
    func finish(_ error: TransportError?) -> Bool {
        guard !isFinished else { return true }
        var error = error
        // After a timeout or a cancellation libcurl still has the transfer.
        if error != nil, error?.metrics == nil, let handle { error?.metrics = handle.metrics }
        isOpen = false
        context.deadlines.remove(self)
        if case .pumped(let pump) = call.body { pump.cancel() }
        flush()
        let response = state.finish()
        coded = nil
        guard let relay = call.relay else {
            completion = makeCompletion(response, error)
            context.completed.append(self)
            return true
        }
        let completion = makeCompletion(response, error)
        let (mailbox, id) = (context.mailbox, call.id)
        let complete = { @Sendable in
            completion?.deliver()
            mailbox.post(.delivered(id))
            return
        }
        if error?.code == .cancelled || error?.code == .timedOut {
            relay.abandon(complete)
        } else {
            relay.finish(complete)
        }
        context.note(self)
        return false
    }

    /// Resumes the caller of a transfer without an observer.
    func deliver() { completion.take()?.deliver() }

    private func makeCompletion(_ response: HTTPResponse?, _ error: TransportError?) -> Completion? {
        guard let caller = caller.take() else { return pipe.map { .body($0, error) } }
        if error == nil, let response { return .response(response, for: caller) }
        return .failure(error ?? state.error(.malformedResponse, "Response has no head."), for: caller, body: pipe)
    }
}
