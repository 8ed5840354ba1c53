import Foundation
import HTTPMessages
import Transport

/// The loop of the event thread: takes commands, runs libcurl, delivers results.
///
/// Only the event thread uses its state. One round: commands, network, finished transfers, deadlines, sleep.
final class EventLoop {
    private let mailbox: Mailbox
    private let library: CurlLibrary
    private let options: CurlTransport.NetworkOptions
    private let context: LoopContext
    private let multi: MultiHandle?
    private let standardLines: CurlLibrary.Handle?
    private var transfers: [Call.ID: ActiveTransfer] = [:]
    private var origins: OriginQueues<ActiveTransfer>
    /// Transfers with a slot, to be started by ``startReady()``.
    private var ready: [ActiveTransfer] = []
    /// Suggested by short waits: few requests to a server that is near.
    private var waiting = AdaptivePolling()
    /// A wait that a poll would have saved, with the time that it takes to be woken.
    private static let shortWait = Duration.microseconds(100)
    /// Handles of transfers that have ended in libcurl, and how to remove them.
    private var ended: [(EasyHandle, isReusable: Bool, hasIdleConnection: Bool)] = []
    /// Wakes the loop at a deadline on a clock that is not the system's.
    private var timer = LoopTimer()

    init(
        _ mailbox: Mailbox, _ library: CurlLibrary, _ configuration: CurlTransport.Configuration,
        _ options: CurlTransport.NetworkOptions, clock: EngineClock
    ) {
        self.mailbox = mailbox
        self.library = library
        self.options = options
        context = LoopContext(mailbox, clock: clock, codings: .system, options)
        multi = MultiHandle(library, options, maximumConnections: configuration.maximumIdleConnections)
        multi?.watch(mailbox.wakeup)
        origins = OriginQueues(limit: configuration.maximumConnectionsPerOrigin)
        standardLines = library.list(
            RequestTarget.standardLines(acceptEncoding: ContentCodings.system.acceptEncoding))
    }

    deinit { library.listFree(standardLines) }

    /// Runs until the mailbox is closed and all transfers have ended.
    func run() {
        var commands: [Command] = []
        while true {
            let phase = mailbox.take(&commands)
            for command in commands { handle(command) }
            commands.removeAll(keepingCapacity: true)
            if phase == .cancelling { cancelAll() }
            startReady()
            beginRound()
            multi?.runTimer()
            multi?.endClosing()
            finishEnded()
            liftLimits()
            checkDeadlines()
            startReady()
            if phase != .running, transfers.isEmpty, multi?.connected.isEmpty != false {
                if mailbox.seal() { break }
            } else if !context.hasWaiting, multi?.hasHeldConnections != true, mailbox.prepareToSleep(knowing: phase) {
                sleep()
            } else {
                context.flush()
                // Transfers go on, however many commands there are.
                multi?.wait(mailbox, atMost: .zero)
            }
        }
        context.removeTransfers()
        timer.cancel()
    }

    private func handle(_ command: Command) {
        switch command {
        case .start(let call):
            let transfer = ActiveTransfer(call, in: context)
            transfers[call.id] = transfer
            if let ticket = origins.acquire(call.target.slotKey, for: transfer) {
                transfer.slot = .awaited(ticket)
            } else {
                enqueue(transfer)
            }
        case .cancel(let id):
            if let socket = multi?.connected[id] { return multi?.disconnect(socket) ?? () }
            guard let transfer = transfers[id] else { return }
            cancel(transfer, .cancelled(transfer.call.request, head: transfer.state.head))
        case .continueReceiving(let id):
            if let socket = multi?.connected[id] { return multi?.receive(from: socket) ?? () }
            guard let transfer = transfers[id] else { return }
            transfer.roomMade()
            continueReceiving(transfer)
        case .continueSending(let id):
            if let socket = multi?.connected[id] { return multi?.send(to: socket) ?? () }
            guard let transfer = transfers[id] else { return }
            if transfer.continueSending() { transfer.handle?.applyPauses() }
        case .run(let job, let executor): executor.run(job)
        case .delivered(let id):
            if let transfer = transfers.removeValue(forKey: id) { context.deadlines.remove(transfer) }
        }
    }

    private func cancel(_ transfer: ActiveTransfer, _ error: TransportError) {
        if transfer.isFinished { transfer.call.relay?.expediteFinish() } else { finish(transfer, error) }
    }

    private func cancelAll() {
        multi?.disconnectAll(.shutDown())
        for transfer in transfers.values {
            cancel(transfer, .shutDown(transfer.call.request, head: transfer.state.head))
        }
    }

    // MARK: Transfers

    /// Notes that a transfer has a slot.
    private func enqueue(_ transfer: ActiveTransfer) {
        transfer.slot = .held
        ready.append(transfer)
    }

    /// Starts the transfers that have a slot. One that fails at once gives its slot to the next, in this same loop.
    private func startReady() {
        // So that no request gets a connection whose server has sent bytes since the last response.
        if let multi, !ready.isEmpty, multi.hasIdleConnections { multi.wait(mailbox, atMost: .zero) }
        while !ready.isEmpty {
            let batch = ready
            ready = []
            for transfer in batch where !transfer.isFinished { start(transfer) }
        }
    }

    private func start(_ transfer: ActiveTransfer) {
        guard let multi, let handle = multi.makeHandle(mayUseTLS: transfer.mayUseTLS) else {
            let message = "Out of memory or file descriptors; raise the limits of the process."
            return finish(transfer, transfer.state.error(.unknown, message))
        }
        let isConfigured = handle.configure(
            for: transfer, standardLines: standardLines,
            connection: ConnectionChoice(for: transfer.call, options.httpVersion, library.version))
        let result = isConfigured ? multi.add(handle) : 0
        guard isConfigured, result == 0 else {
            let option = handle.refusal.map { "the option \($0.option) (\(library.text(of: $0.code)))" }
            let message = "libcurl \(library.version) refuses \(option ?? "a transfer (\(result))")."
            handle.release()
            return finish(transfer, transfer.state.error(.unsupported, message))
        }
        transfer.handle = handle
        transfer.started()
    }

    private func continueReceiving(_ transfer: ActiveTransfer) {
        if transfer.continueReceiving() { transfer.handle?.applyPauses() }
        if transfer.hasEnded { finish(transfer, transfer.error) }
    }

    /// Continues transfers that had used up their share of the last round.
    private func beginRound() {
        multi?.beginRound()
        let waiting = context.beginRound()
        for transfer in waiting.yielding where !transfer.isFinished {
            transfer.endYielding()
            if transfer.hasEnded { finish(transfer, transfer.error) }
        }
        for transfer in waiting.decoding where !transfer.isFinished { continueReceiving(transfer) }
    }

    /// Takes the results of transfers that have ended in libcurl.
    private func finishEnded() {
        while let (transfer, code) = multi?.nextEnded() {
            guard let handle = transfer.handle else { continue }
            if transfer.isExpectationRefused {
                ended.append((handle, false, false))
                transfer.reset()
                ready.append(transfer)
                continue
            }
            let failure = code == 0 ? nil : handle.failure(code, url: transfer.call.request.url)
            let isKept = failure == nil && multi.map { transfer.connected(with: handle, in: $0) } ?? false
            transfer.networkEnded(failure, isCut: code == 0 && isCut(transfer, handle), metrics: handle.metrics)
            if let failure { retireConnection(of: transfer, handle, after: failure) }
            transfer.handle = nil
            if !isKept { ended.append((handle, code == 0, code == 0 && !transfer.isMultiplexed)) }
            releaseSlot(of: transfer)
            if transfer.hasEnded, transfer.finish(transfer.error) { transfers[transfer.call.id] = nil }
        }
        context.deliver()
        for (handle, isReusable, hasIdleConnection) in ended {
            multi?.remove(handle, isReusable: isReusable, hasIdleConnection: hasIdleConnection)
        }
        ended.removeAll(keepingCapacity: true)
    }

    /// True if an HTTP/2 connection failed, for which libcurl before 8.1 ends its transfers without an error.
    private func isCut(_ transfer: ActiveTransfer, _ handle: EasyHandle) -> Bool {
        let origin = transfer.call.target.slotKey
        return library.version.hidesHTTP2Failures && transfer.isMultiplexed && !transfer.hasAnnouncedEnd
            && origins.running(origin) == 1 && !handle.closesConnection && handle.openDescriptor < 0
    }

    /// Ends an HTTP/2 connection after an error of its session, since libcurl before 8.1 would use it further.
    private func retireConnection(of transfer: ActiveTransfer, _ handle: EasyHandle, after failure: TransferFailure) {
        let origin = transfer.call.target.slotKey
        guard library.version.hidesHTTP2Failures, failure.endsHTTP2Session || transfer.failedInHead,
            let connection = context.multiplexedConnections.remove(origin)
        else { return }
        multi?.retire(connection)
    }

    /// Delivers the result of a transfer once, and releases its handle and slot.
    private func finish(_ transfer: ActiveTransfer, _ error: TransportError?) {
        if transfer.finish(error) { transfers[transfer.call.id] = nil }
        // The caller is resumed first, since libcurl may need time to end a transfer.
        context.deliver()
        if let handle = transfer.handle {
            transfer.handle = nil
            multi?.remove(handle, isReusable: false, hasIdleConnection: false)
        }
        releaseSlot(of: transfer)
    }

    /// Gives the slot of a transfer to the next one.
    private func releaseSlot(of transfer: ActiveTransfer) {
        let origin = transfer.call.target.slotKey
        switch transfer.slot {
        case .none: break
        case .awaited(let ticket): origins.remove(ticket, from: origin)
        case .held: if let next = origins.release(origin) { enqueue(next) }
        }
        transfer.slot = .none
        // Later transfers are started later, so that it does not count for them.
        if origins.running(origin) == 0 { context.announcedEnds[origin] = nil }
    }

    private func liftLimits() {
        guard !context.multiplexedOrigins.isEmpty else { return }
        for origin in context.multiplexedOrigins {
            for transfer in origins.setMultiplexed(origin) { enqueue(transfer) }
        }
        context.multiplexedOrigins = []
    }

    // MARK: Time

    private func checkDeadlines() {
        guard !context.deadlines.isEmpty else { return }
        let now = context.clock.now
        while let transfer = context.deadlines.popDue(at: now) {
            transfer.updateSending(now: now)
            if let error = transfer.state.expired(now: now) {
                // A finished one waits for its observer.
                if transfer.isFinished { transfer.call.relay?.expediteFinish() } else { finish(transfer, error) }
            } else {
                // Activity has moved its deadline.
                context.note(transfer)
            }
        }
    }

    private func sleep() {
        var limit = Duration.seconds(3600)
        if let deadline = context.deadlines.first {
            if context.clock.sleep == nil {
                limit = deadline - context.clock.now
            } else {
                timer.set(to: deadline, on: context.clock, waking: mailbox)
            }
        }
        // Without a multi handle every transfer fails when it starts.
        guard let multi else { return mailbox.wakeup.wait() }
        if pollForMore(multi) { return }
        context.flush()
        if waiting.begin() {
            let found = poll(multi, for: Staging.poll)
            waiting.end(found: found)
            if found { return }
        }
        let start = ContinuousClock.now
        multi.wait(mailbox, atMost: limit)
        if AdaptivePolling.isUseful, .now - start < Self.shortWait { waiting.suggest() }
    }

    /// Polls the network while chunks may wait for others.
    /// - Returns: true if there was activity or the wakeup.
    private func pollForMore(_ multi: MultiHandle) -> Bool {
        if context.staged.isDue(at: .now) { context.flush() }
        guard let duration = context.staged.polling() else { return false }
        let found = poll(multi, for: duration)
        context.staged.polled(for: duration, found: found)
        return found
    }

    private func poll(_ multi: MultiHandle, for duration: Duration) -> Bool {
        let end = ContinuousClock.now + duration
        var found = false
        repeat { found = multi.wait(mailbox, atMost: .zero) } while !found && .now < end
        return found
    }
}
