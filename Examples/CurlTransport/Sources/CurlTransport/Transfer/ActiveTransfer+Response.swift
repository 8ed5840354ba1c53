import Foundation
import HTTPMessages
import Transport

// The response: libcurl's callbacks, and what the event loop calls for the reader.

extension ActiveTransfer {
    /// Handles one line of a head or a trailer.
    /// - Returns: false to end the transfer.
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard isOpen else { return false }
        switch parser.parse(line) {
        // Only a complete head ends the response timeout; a line of a trailer extends the idle timeout.
        case .none: break
        case .trailer: state.bytesArrived(now: context.clock.now)
        case .invalid(let problem):
            return abort(state.error(.malformedResponse, "\(problem)."))
        case .head:
            if state.head == nil { return receiveHead() }
            return abort(state.error(.malformedResponse, "Second response head received for one request."))
        }
        return true
    }

    private func receiveHead() -> Bool {
        // libcurl would send the request again itself, but with the field.
        if expectsContinue, parser.status.code == 417 {
            if refuseExpectation() { return false }
            let reason =
                call.request.options.uploadHold == nil
                ? "the body cannot be read again" : "a body under a limit of the bandwidth cannot be read again"
            return abort(
                state.error(
                    .unreadableBody,
                    "Server refused to announce a wait for the body (417) after a part of it, and \(reason); leave "
                        + "`continueTimeout` nil."))
        }
        var head = HTTPResponseHead(status: parser.status, fields: parser.fields, url: call.request.url)
        head.method = call.request.method
        if parser.status.code == 407 { head.isProxyChallenge = isSentToProxy }
        var length: Int64?
        if state.carriesBody(head) {
            switch BodyFraming(parser.fields, isHTTP2: parser.isHTTP2) {
            case .length(let count): length = count
            case .chunked, .untilClosed: break
            case .invalid(let problem): return abort(state.error(.malformedResponse, "\(problem)."))
            }
            // A part of coded bytes cannot be decoded.
            if head.status != .partialContent, let coding = head.fields[.contentEncoding],
                let decoder = context.codings.makeDecoder(for: coding)
            {
                coded = CodedBody(decoder)
                length = nil
                head.decodedContentCodings = coding
                head.fields.remove(.contentEncoding)
                head.fields.remove(.contentLength)
            }
        }
        let report = TransferReport()
        head.transferReport = report
        self.report = report
        noteMultiplexing()
        finishSentBytes()
        if let error = state.headReceived(head, length: length, now: context.clock.now) { return abort(error) }
        call.relay?.send(.head(head))
        if pipe != nil { caller.take()?.resume(returning: HTTPResponse(head: head)) }
        context.note(self)
        return true
    }

    /// Handles the open connection of a transfer that only connects: the caller gets a head without content.
    ///
    /// The handle stays with the connection.
    func connected(with handle: EasyHandle, in multi: MultiHandle) -> Bool {
        guard let pipe = socketPipe, !isFinished, !hasFailed else { return false }
        handle.transfer = nil
        let socket = ConnectedSocket(call.id, handle, pipe, url: call.request.url, isPlain: !mayUseTLS)
        multi.connect(socket, context.scratch)
        let report = TransferReport()
        var head = HTTPResponseHead(status: .ok, url: call.request.url)
        head.transferReport = report
        self.report = report
        _ = state.headReceived(head, length: nil, now: context.clock.now)
        return true
    }

    /// The pipe of a transfer that only connects.
    var socketPipe: SocketPipe? {
        if case .connected(_, let pipe) = call.recipient { pipe } else { nil }
    }

    /// Notes that the origin speaks HTTP/2.
    private func noteMultiplexing() {
        guard isMultiplexed else { return }
        context.multiplexedOrigins.append(call.target.slotKey)
        guard let handle, let sockets = handle.sockets, let connection = handle.connection else { return }
        context.multiplexedConnections.set(connection, of: call.target.slotKey, isOpen: sockets.isOpen)
    }

    /// Notes that a server that goes away closes its connection in order (GOAWAY).
    func endAnnounced() { context.announcedEnds[call.target.slotKey] = context.startCount }

    /// Handles bytes of the body.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Receive {
        guard isOpen else { return .abort }
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
        guard turn.receivedPiece(of: size, in: context.round), let handle else { return }
        // Of a shared connection the other streams would pay for it.
        if !readsLittle, turn.hasSmallPieces, !isMultiplexed {
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

    /// Decodes received bytes until none are left, or the transfer has to stop.
    ///
    /// It stops when the reader's pipe is full, or its share of the round is used up.
    private func decode() -> Bool {
        let round = context.round
        while isDecoding, !isPipeFull {
            guard turn.mayDecode(in: round) else {
                if turn.waits(in: round) { context.decoding.append(self) }
                break
            }
            do throws(InvalidCoding) {
                guard let count = try coded?.decode(into: context.scratch) else { break }
                turn.decoded(count, in: round)
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

    /// Notes that the reader has made room in its pipe.
    func roomMade() { isPipeFull = false }

    /// Decodes further bytes.
    /// - Returns: true when libcurl may continue to receive.
    func continueReceiving() -> Bool {
        guard decode(), isReceivingPaused, !isPipeFull, !isDecoding else { return false }
        isReceivingPaused = false
        state.setPaused(false, now: context.clock.now)
        context.note(self)
        return true
    }

    private func abort(_ error: TransportError) -> Bool {
        fail(error)
        return false
    }
}
