import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

/// What became of the calls of a soak.
final class SoakTally: Sendable {
    private struct State {
        /// Each call, and the number of its completions.
        var calls: [(name: String, completions: UInt8)] = []
        var outcomes: [String: Int] = [:]
        var violations: [String] = []
        /// Names of effects, and whether their calls succeeded.
        var effects: [String: Bool] = [:]
    }

    private let state = Mutex(State())

    /// Adds a call, and returns its place.
    func begin(_ name: String) -> Int {
        state.withLock {
            $0.calls.append((name, 0))
            return $0.calls.count - 1
        }
    }

    /// Records the completion of a call.
    func end(_ call: Int, _ kind: String, _ error: (any Error)?) {
        state.withLock { state in
            state.calls[call].completions &+= 1
            let outcome = error.map { $0.isCancellation ? "cancelled" : "failed" } ?? "done"
            state.outcomes["\(kind) \(outcome)", default: 0] += 1
        }
    }

    /// Records what must not happen.
    func violate(_ text: String) { state.withLock { $0.violations.append(text) } }

    /// Expects an effect: once if the call succeeded, else once at most.
    func expectEffect(_ name: String, succeeded: Bool) { state.withLock { $0.effects[name] = succeeded } }

    /// The number of calls so far.
    var count: Int { state.withLock(\.calls.count) }

    /// The kinds of calls with their outcomes.
    var summary: String {
        state.withLock { state in
            state.outcomes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        }
    }

    /// Everything that is wrong, with the effects that the server counted.
    func violations(_ counts: [String: Int]) -> [String] {
        state.withLock { state in
            var violations = state.violations
            for (name, count) in state.calls where count != 1 {
                violations.append("call \(name) completed \(count) times")
            }
            for (name, succeeded) in state.effects {
                let count = counts[name] ?? 0
                // Oracle's queue sends a POST again, as the vendor's did, also when the server may have processed it.
                let mayRepeat = name.hasPrefix("oracle")
                if count > 1 && !mayRepeat || succeeded && count == 0 {
                    violations.append("\(name) had \(count) effects")
                }
            }
            return violations
        }
    }
}

/// The user that is signed in, as the app knows it.
final class SoakUser: Sendable {
    private struct State {
        /// All users so far; nil for none.
        var history: [String?] = [nil]
        /// The place of the current user.
        var now = 0
    }

    private let state = Mutex(State())

    var current: String? { state.withLock { $0.history[$0.now] } }
    /// The place of the current user in the history.
    var now: Int { state.withLock(\.now) }

    /// Announces the next user, whose data may be seen from now on.
    func announce(_ user: String?) { state.withLock { $0.history.append(user) } }

    /// Makes the announced user the current one: a call that starts from now on must see no data of earlier ones.
    func commit() { state.withLock { $0.now = $0.history.count - 1 } }

    /// Whether a user is, or was since a place in the history.
    func has(_ user: String?, since place: Int) -> Bool { state.withLock { $0.history[place...].contains(user) } }
}

/// What this process holds, from `/proc`; zero on other systems.
struct Holdings: CustomStringConvertible {
    let descriptors: Int
    let threads: Int
    let megabytes: Int

    static var now: Holdings {
        func count(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0 }
        // Read to its end: the file says that it has no bytes.
        let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = statm?.split(separator: " ").compactMap { Int($0) } ?? []
        let resident = pages.count > 1 ? pages[1] : 0
        return Holdings(
            descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"), megabytes: (resident * 4096) >> 20)
    }

    var description: String { "\(descriptors) descriptors, \(threads) threads, \(megabytes) MB" }
}
