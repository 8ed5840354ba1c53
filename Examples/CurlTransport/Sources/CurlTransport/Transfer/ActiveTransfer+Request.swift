import Foundation
import HTTPMessages
import Transport

// The request: libcurl's callbacks, and what the event loop calls for its body.

extension ActiveTransfer {
    /// Handles the head of a request that libcurl sends: to an HTTP proxy with the whole URL (RFC 9112, section 3.2.2).
    func headSent(_ bytes: UnsafeRawBufferPointer) {
        let target = bytes.drop { $0 != UInt8(ascii: " ") }.dropFirst()
        isSentToProxy = target.starts(with: "http://".utf8)
    }

    /// Reports the bytes of a body that libcurl has copied.
    func finishSentBytes() {
        guard let relay = call.relay, case .bytes(let data) = call.body, !data.isEmpty else { return }
        relay.send(.sentBytes(Int64(data.count), total: Int64(data.count)))
    }

    /// Copies bytes of the request body.
    func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Send {
        guard isOpen, case .pumped(let pump) = call.body else { return .abort }
        if state.bodyRequested(now: context.clock.now) {
            pump.start()
            context.note(self)
        }
        switch pump.read(into: buffer) {
        case .bytes(let count):
            state.bodySent(count, now: context.clock.now)
            call.relay?.send(.sentBytes(state.sent, total: pump.length))
            return .bytes(count)
        case .starved:
            isSendingPaused = true
            return .pause
        case .end:
            state.bodyEnded()
            return .end
        case .failed(let error):
            fail(.unreadableBody(call.request, error))
            return .abort
        }
    }

    /// Starts the request body again, for an idempotent request whose reused connection was closed.
    /// - Returns: false when that is impossible.
    func rewindBody() -> Bool {
        guard case .pumped(let pump) = call.body, pump.isReplayable, call.request.method.isIdempotent else {
            return false
        }
        if expectsContinue { pump.cancel() } else { pump.restart() }
        restarted()
        return true
    }

    /// Notes that the request starts again, whose deadline may be earlier now.
    private func restarted() {
        state.restarted(awaitsContinue: expectsContinue, now: context.clock.now)
        context.note(self)
    }

    /// Handles the start of a request on a connection.
    /// - Returns: false to end the transfer: the request was sent before, and must not be sent twice.
    func willSendRequest() -> Bool {
        guard isOpen else { return false }
        state.connected(now: context.clock.now)
        requestCount += 1
        guard requestCount > 1 else { return true }
        // libcurl does not keep the pause for a new connection.
        isSendingPaused = false
        // libcurl asks for the body again only if it has sent a part of it, not if it has only read one.
        if call.request.method.isIdempotent, state.sent == 0 || rewindBody() {
            if expectsContinue { restarted() }
            return true
        }
        fail(
            state.error(
                .connectionLost,
                "Connection lost before the response; the request is not sent again, because it is not idempotent or its "
                    + "body cannot be read again."))
        return false
    }

    /// Looks at what is known of the body at the end of a timeout: libcurl does not tell when it has sent bytes.
    func updateSending(now: Duration) {
        guard state.phase == .waiting else { return }
        if isSendingPaused, call.request.options.uploadHold?.takeHeld() == true { return state.bodyHeld(now: now) }
        if let handle, case .some = state.expired(now: now) { state.bodySent(inSystem: handle.sentBytes, now: now) }
    }

    /// - Returns: true when libcurl waits for bytes of the request body.
    func continueSending() -> Bool {
        defer { isSendingPaused = false }
        return isSendingPaused
    }
}
