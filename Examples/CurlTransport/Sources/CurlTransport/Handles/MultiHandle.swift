import CCurl
import Glibc

/// A multi handle of libcurl with its share of TLS sessions and its easy handles.
///
/// Only the event thread uses it.
final class MultiHandle {
    private let pointer: CurlLibrary.Handle
    /// The share of TLS sessions; needs no locks, because one thread uses it.
    let share: CurlLibrary.Handle?
    private let library: CurlLibrary
    /// Unused easy handles, to be used again.
    private var idle: [EasyHandle] = []
    /// The number of easy handles in the multi handle.
    private(set) var count = 0

    /// The time of libcurl's next timer.
    private var timer: ContinuousClock.Instant?
    private let poller: CInt
    private let ready: UnsafeMutableBufferPointer<ccurl_readiness>

    private static let maximumIdle = 128

    init?(_ library: CurlLibrary, maximumConnections: Int) {
        poller = ccurl_make_poller()
        guard poller >= 0 else { return nil }
        guard let pointer = library.multiInit() else {
            close(poller)
            return nil
        }
        self.library = library
        ready = .allocate(capacity: 64)
        self.pointer = pointer
        share = library.shareInit()
        if let share {
            _ = ccurl_share_set_int(
                library.shareSetOption, share, CurlConstant.shareOption, CurlConstant.shareTLSSessions)
        }
        _ = ccurl_multi_set_long(
            library.multiSetOption, pointer, CurlConstant.multiMaximumConnections, max(1, maximumConnections))
        _ = ccurl_multi_set_long(
            library.multiSetOption, pointer, CurlConstant.multiPipelining, CurlConstant.multiplex)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_multi_set_pointer(library.multiSetOption, pointer, CurlConstant.multiSocketContext, context)
        _ = ccurl_multi_set_pointer(library.multiSetOption, pointer, CurlConstant.multiTimerContext, context)
        _ = ccurl_multi_set_socket_callback(
            library.multiSetOption, pointer, CurlConstant.multiSocketFunction
        ) { _, descriptor, interest, context, _ in
            context.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }?.watch(descriptor, interest)
            return 0
        }
        _ = ccurl_multi_set_timer_callback(
            library.multiSetOption, pointer, CurlConstant.multiTimerFunction
        ) { _, milliseconds, context in
            context.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }?.setTimer(milliseconds)
            return 0
        }
    }

    deinit {
        idle = []
        _ = library.multiCleanup(pointer)
        if let share { _ = library.shareCleanup(share) }
        close(poller)
        ready.deallocate()
    }

    // libcurl's callbacks

    /// Watches a socket; `interest` is `CURL_POLL_IN`, `..._OUT`, `..._INOUT` or `..._REMOVE`.
    private func watch(_ descriptor: CInt, _ interest: CInt) {
        ccurl_watch(poller, descriptor, interest > 3 ? 0 : interest)
    }

    private func setTimer(_ milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    // The event loop

    /// Watches the descriptor that wakes the loop.
    func watch(_ wakeup: Wakeup) { ccurl_watch(poller, wakeup.descriptor, 1) }

    func makeHandle() -> EasyHandle? { idle.popLast() ?? EasyHandle(library) }

    /// Starts a transfer.
    /// - Returns: libcurl's result code (`CURLMcode`); 0 for success.
    func add(_ handle: EasyHandle) -> CInt {
        let result = library.multiAdd(pointer, handle.pointer)
        if result == 0 { count += 1 }
        return result
    }

    /// Ends a transfer.
    /// - Parameter isReusable: true to keep the handle for another transfer. One whose transfer failed or was cut short
    ///   may keep bytes of a paused response, which the next transfer would get.
    func remove(_ handle: EasyHandle, isReusable: Bool) {
        _ = library.multiRemove(pointer, handle.pointer)
        count -= 1
        handle.release()
        if isReusable, idle.count < Self.maximumIdle { idle.append(handle) }
    }

    /// Runs libcurl's timer if it is due: it starts transfers too.
    func runTimer() {
        guard let due = timer, due <= .now else { return }
        timer = nil
        act(CurlConstant.timerDescriptor, 0)
        // libcurl reports no timer that it regards as still set, which it may do if its clock differs.
        var milliseconds = 0
        if timer == nil, count > 0, library.multiTimeout(pointer, &milliseconds) == 0 { setTimer(milliseconds) }
    }

    private func act(_ descriptor: CInt, _ mask: CInt) {
        var running: CInt = 0
        _ = library.multiAct(pointer, descriptor, mask, &running)
    }

    /// The next transfer that has ended, and libcurl's result code.
    func nextEnded() -> (transfer: ActiveTransfer, code: CInt)? {
        var left: CInt = 0
        while let message = library.multiReadMessage(pointer, &left) {
            guard message.pointee.kind == CurlConstant.messageDone, let easy = message.pointee.easy else { continue }
            var context: UnsafeMutableRawPointer?
            let info = CurlInfo.privatePointer.rawValue
            guard ccurl_easy_get_pointer(library.easyGetInfo, easy, info, &context) == 0, let context else { continue }
            let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
            if let transfer = handle.transfer { return (transfer, message.pointee.data.code) }
        }
        return nil
    }

    /// Waits for network activity, the wakeup, libcurl's timer, or a duration, and handles the activity.
    /// - Returns: true if there was activity or the wakeup.
    @discardableResult
    func wait(_ wakeup: Wakeup, atMost limit: Duration) -> Bool {
        let duration = timer.map { min($0 - .now, limit) } ?? limit
        let found = ccurl_wait(
            poller, ready.baseAddress, CInt(ready.count), CInt(clamping: duration.milliseconds))
        for index in 0..<Int(found) {
            let descriptor = ready[index].descriptor
            if descriptor == wakeup.descriptor { wakeup.reset() } else { act(descriptor, ready[index].mask) }
        }
        return found > 0
    }
}
