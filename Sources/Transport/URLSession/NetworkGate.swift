import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Lets sessions take turns on Foundation's network queue while servers keep it busy.
///
/// On Linux all sessions share one queue, and a session that has sockets to read does not leave it while more bytes come:
/// one server that sends fast enough, or eight, hold up the start, the end and the bytes of every other task for as long
/// as they like. So when a call to a session has waited for `patience`, the sockets of all sessions wait until it is
/// through; then those of one session go first, each time another's. While several transfers run, a call that does
/// nothing shows now and then whether the queue is busy, and as long as it is, over and over.
///
/// ```
/// open -a call is late-> closed
/// closed -no late call is left, or after `longestPause`-> turn of one session
/// turn -after `turnLength`-> open, and the next call that does nothing begins
/// ```
final class NetworkGate: Sendable {
    static let shared = NetworkGate()

    /// How many transfers all engines of the process have.
    let load = Atomic(0)

    #if canImport(Darwin)
        // Sessions have a queue each.
        func makeID() -> UInt64 { 0 }
        func add(_ session: URLSession, as id: UInt64) -> Bool { true }
        func removeSession(_ id: UInt64) {}
        func callBegins(_ id: UInt64) {}
        func callEnds(_ id: UInt64) {}
    #else
        private struct Session {
            let id: UInt64
            let queue: SocketQueue
            weak let session: URLSession?
        }
        private struct State {
            /// Sorted by their names.
            var sessions: [Session] = []
            /// Calls that have begun and not ended.
            var calls: Set<UInt64> = []
            /// Those that have waited for too long, and for how many pauses more they may.
            var late: [UInt64: Int] = [:]
            /// Those whose sockets wait.
            var suspended: [Session] = []
            var isTurn = false
            var lastTurn: UInt64 = 0
            var isProbing = false

            // These are called with the lock held, so that no queue is resumed before it is suspended. None of them waits.
            mutating func close() -> Bool {
                guard suspended.isEmpty, !isTurn, !late.isEmpty else { return false }
                suspended = sessions
                for session in suspended { session.queue.suspend() }
                for (id, rest) in late { late[id] = rest > 1 ? rest - 1 : nil }
                return true
            }

            mutating func beginTurn() -> Bool {
                guard !isTurn, !suspended.isEmpty else { return false }
                isTurn = true
                let session = suspended.remove(at: suspended.firstIndex { $0.id > lastTurn } ?? 0)
                lastTurn = session.id
                session.queue.resume()
                return true
            }

            mutating func open() {
                for session in suspended { session.queue.resume() }
                suspended = []
                isTurn = false
            }
        }

        private static let patience = Duration.milliseconds(5)
        /// The sockets are others' as well.
        private static let longestPause = Duration.milliseconds(20)
        private static let turnLength = Duration.milliseconds(1)
        /// What is not through by then does not wait for the sockets.
        private static let pauses = 8
        private static let probeInterval = Duration.milliseconds(100)

        private let state = Mutex(State())
        private let deadlines = Deadlines(.continuous)
        private let change: UInt64
        private let nextProbe: UInt64

        private init() {
            change = deadlines.makeID()
            nextProbe = deadlines.makeID()
        }

        /// A name for a session or a call.
        func makeID() -> UInt64 { deadlines.makeID() }

        /// How many sessions can take turns.
        var sessionCount: Int { state.withLock { $0.sessions.count } }

        /// Notes a session, in a callback of its that comes from a socket.
        /// - Returns: false when the queue of its sockets is not to be found.
        func add(_ session: URLSession, as id: UInt64) -> Bool {
            guard let queue = SocketQueue.current else { return false }
            state.withLock { state in
                let index = state.sessions.firstIndex { $0.id > id } ?? state.sessions.endIndex
                state.sessions.insert(Session(id: id, queue: queue, session: session), at: index)
            }
            return true
        }

        func removeSession(_ id: UInt64) { state.withLock { $0.sessions.removeAll { $0.id == id } } }

        /// A call that waits for the network's queue is about to begin.
        func callBegins(_ id: UInt64) {
            _ = state.withLock { $0.calls.insert(id) }
            schedule(id, after: Self.patience) { self.callIsLate(id) }
            probeLater()
        }

        /// It is through. Saying so a second time does no harm.
        func callEnds(_ id: UInt64) {
            let (wasThere, isTurn) = state.withLock { state in
                guard state.calls.remove(id) != nil else { return (false, false) }
                let wasLate = state.late.removeValue(forKey: id) != nil
                return (true, wasLate && state.late.isEmpty && state.beginTurn())
            }
            if wasThere { deadlines.cancel(id) }
            if isTurn { endTurnLater() }
        }

        private func callIsLate(_ id: UInt64) {
            state.withLock { if $0.calls.contains(id) { $0.late[id] = Self.pauses } }
            close()
        }

        private func close() {
            guard state.withLock({ $0.close() }) else { return }
            schedule(change, after: Self.longestPause) { self.pauseIsOver() }
        }

        private func pauseIsOver() { if state.withLock({ $0.beginTurn() }) { endTurnLater() } }

        private func endTurnLater() {
            deadlines.cancel(change)
            schedule(change, after: Self.turnLength) { self.turnIsOver() }
        }

        private func turnIsOver() {
            let isLate = state.withLock { state in
                state.open()
                return !state.late.isEmpty
            }
            if isLate { schedule(change, after: Self.patience) { self.close() } }
            deadlines.cancel(nextProbe)
            probe()
        }

        // MARK: Calls that do nothing

        private func probeLater() {
            guard load.load(ordering: .relaxed) > 1 else { return }
            let mustSchedule = state.withLock { state in
                defer { state.isProbing = true }
                return !state.isProbing
            }
            if mustSchedule { schedule(nextProbe, after: Self.probeInterval) { self.probe() } }
        }

        private func probe() {
            let (session, isNeeded) = state.withLock { state -> (URLSession?, Bool) in
                state.isProbing = false
                guard load.load(ordering: .relaxed) > 1 else { return (nil, false) }
                return (state.sessions.lazy.compactMap(\.session).first, true)
            }
            guard isNeeded else { return }
            guard let session else { return probeLater() }
            let id = makeID()
            callBegins(id)
            session.getAllTasks { _ in self.callEnds(id) }
        }

        private func schedule(_ id: UInt64, after delay: Duration, _ action: @escaping @Sendable () -> Void) {
            deadlines.schedule(id, at: deadlines.timeline.now + delay, action)
        }
    #endif
}
