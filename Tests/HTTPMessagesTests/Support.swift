import Foundation
import PatchbayTestKit
import Synchronization

extension SeededGenerator {
    /// A random string of up to eight characters, many of them special in URLs.
    mutating func urlText() -> String {
        let characters = [
            "a", "B", "7", " ", "+", "=", "%", "%4", "[]", "#", "?", "/", "..", "ä", "e\u{301}", "🎈", "\r\n", "\0",
        ]
        return (0..<Int.random(in: 0...8, using: &self)).map { _ in characters.randomElement(using: &self) ?? "" }
            .joined()
    }
}

/// Runs work on a thread with a small stack, the default of Darwin for all threads but the main one.
func onSmallThread(_ work: @escaping @Sendable () -> Bool) -> Bool {
    final class Outcome: Sendable { let value = Mutex(false) }
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        let value = work()
        outcome.value.withLock { $0 = value }
        done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    return outcome.value.withLock { $0 }
}

/// The output of `dump`, `String(reflecting:)` and interpolation.
func everyText(of value: some Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value)\n\(String(reflecting: value))\n\(dumped)\n\(Optional.some(value) as Any)"
}
