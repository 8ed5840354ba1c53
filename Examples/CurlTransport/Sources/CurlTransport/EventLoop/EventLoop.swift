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
    /// Wakes the loop at a deadline on a clock that is not the system's.
    private var alarm: (deadline: Duration, task: Task<Void, Never>)?

    init(
        _ mailbox: Mailbox, _ library: CurlLibrary, _ configuration: CurlTransport.Configuration,
        _ options: CurlTransport.NetworkOptions, clock: EngineClock
    ) {
        self.mailbox = mailbox
        self.library = library
        self.options = options
        context = LoopContext(mailbox, clock: clock, codings: .system)
        multi = MultiHandle(library, maximumConnections: configuration.maximumIdleConnections)
        multi?.watch(mailbox.wakeup)
        origins = OriginQueues(limit: configuration.maximumConnectionsPerOrigin, isObsolete: \.isFinished)
        standardLines = EasyHandle(library)?.list(
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
            multi?.runTimer()
            finishEnded()
            context.flush()
            liftLimits()
            checkDeadlines()
            if phase != .running, transfers.isEmpty {
                if mailbox.seal() { break }
            } else if mailbox.prepareToSleep(knowing: phase) {
                sleep()
            }
        }
        alarm?.task.cancel()
    }

    // MARK: Commands

    private func handle(_ command: Command) {
        switch command {
        case .start(let call):
            let transfer = ActiveTransfer(call, in: context)
            transfers[call.id] = transfer
            if origins.acquire(call.target.origin, for: transfer) { begin(transfer) }
        case .cancel(let id):
            guard let transfer = transfers[id] else { return }
            cancel(transfer, .cancelled(transfer.call.request, head: transfer.state.head))
        case .continueReceiving(let id):
            guard let transfer = transfers[id] else { return }
            if transfer.continueReceiving() { transfer.handle?.applyPauses() }
            let hasEnded = transfer.state.phase == .received && !transfer.isDecoding
            if hasEnded || (transfer.failure != nil && !transfer.isFinished) { finish(transfer, transfer.error) }
        case .continueSending(let id):
            guard let transfer = transfers[id] else { return }
            if transfer.continueSending() { transfer.handle?.applyPauses() }
        case .delivered(let id):
            transfers[id] = nil
        }
    }

    private func cancel(_ transfer: ActiveTransfer, _ error: TransportError) {
        if transfer.isFinished { transfer.call.relay?.expediteFinish() } else { finish(transfer, error) }
    }

    private func cancelAll() {
        for transfer in transfers.values {
            cancel(
                transfer,
                TransportError(
                    .cancelled, "The call was cancelled: the transport was shut down.",
                    request: transfer.call.request, head: transfer.state.head))
        }
    }

    // MARK: Transfers

    /// Starts a transfer that has a slot.
    private func begin(_ transfer: ActiveTransfer) {
        transfer.hasSlot = true
        guard let multi, let handle = multi.makeHandle() else {
            let message = "Out of memory or file descriptors; raise the limits of the process."
            return finish(transfer, transfer.state.error(.unknown, message))
        }
        let isConfigured = handle.configure(
            for: transfer, standardLines: standardLines,
            connection: ConnectionChoice(for: transfer.call, options.httpVersion, library.version)
        ) { handle in handle.apply(options, share: multi.share) }
        let result = isConfigured ? multi.add(handle) : handle.refusal
        guard result == 0 else {
            handle.release()
            return finish(
                transfer,
                transfer.state.error(
                    .unsupported,
                    "libcurl \(library.version) refuses \(isConfigured ? "a transfer" : "an option") (\(result))."))
        }
        transfer.handle = handle
        transfer.started()
    }

    /// Takes the results of transfers that have ended in libcurl.
    private func finishEnded() {
        while let (transfer, code) = multi?.nextEnded() {
            guard let handle = transfer.handle else { continue }
            transfer.networkEnded(
                code == 0 ? nil : handle.failure(code, url: transfer.call.request.url), metrics: handle.metrics)
            detach(transfer, isComplete: code == 0)
            if transfer.failure != nil || !transfer.isDecoding { finish(transfer, transfer.error) }
        }
    }

    /// Delivers the result of a transfer once, and releases its handle and slot.
    private func finish(_ transfer: ActiveTransfer, _ error: TransportError?) {
        // The caller is resumed first, since libcurl may need time to end a transfer.
        if transfer.finish(error) { transfers[transfer.call.id] = nil }
        detach(transfer)
    }

    /// Removes a transfer from libcurl, and gives its slot to the next one.
    /// - Parameter isComplete: true when the transfer has ended in libcurl without a failure.
    private func detach(_ transfer: ActiveTransfer, isComplete: Bool = false) {
        if let handle = transfer.handle {
            transfer.handle = nil
            multi?.remove(handle, isReusable: isComplete)
        }
        guard transfer.hasSlot else { return }
        transfer.hasSlot = false
        if let next = origins.release(transfer.call.target.origin) { begin(next) }
        if transfers.isEmpty { origins.trim() }
    }

    private func liftLimits() {
        guard !context.multiplexedOrigins.isEmpty else { return }
        for origin in context.multiplexedOrigins {
            for transfer in origins.setMultiplexed(origin) { begin(transfer) }
        }
        context.multiplexedOrigins = []
    }

    // MARK: Time

    private func checkDeadlines() {
        guard let next = context.nextDeadline else { return }
        let now = context.clock.now
        guard next <= now else { return }
        context.nextDeadline = nil
        for transfer in transfers.values {
            guard let deadline = transfer.state.deadline, deadline <= now else {
                context.note(transfer.state.deadline)
                continue
            }
            if transfer.isFinished {
                // It waits for its observer.
                transfer.call.relay?.expediteFinish()
            } else {
                finish(transfer, transfer.state.expired(now: now) ?? transfer.state.error(.timedOut, "Timed out."))
            }
        }
    }

    private func sleep() {
        var limit = Duration.seconds(3600)
        if let deadline = context.nextDeadline {
            if context.clock.sleep == nil { limit = deadline - context.clock.now } else { setAlarm(at: deadline) }
        }
        // Without a multi handle every transfer fails when it starts.
        if let multi { multi.wait(mailbox.wakeup, atMost: limit) } else { mailbox.wakeup.wait() }
    }

    private func setAlarm(at deadline: Duration) {
        guard alarm?.deadline != deadline, let sleep = context.clock.sleep else { return }
        alarm?.task.cancel()
        let (mailbox, clock) = (mailbox, context.clock)
        let task = Task.detached {
            // A clock may wake its sleepers early.
            while clock.now < deadline { guard (try? await sleep(deadline)) != nil else { return } }
            mailbox.wake()
        }
        alarm = (deadline, task)
    }
}
