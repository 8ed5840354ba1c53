import Foundation
import Synchronization

/// Shows progress from 0 to 1: in a terminal as a bar, otherwise as a line for each quarter.
final class ProgressBar: Sendable {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let shownPercent = Mutex(-1)

    /// Shows the progress if it is greater than before.
    func setProgress(_ progress: Float) {
        let percent = Int(min(max(0, progress), 1) * 100)
        let earlier = shownPercent.withLock { shown in
            defer { shown = max(shown, percent) }
            return shown
        }
        guard percent > earlier else { return }
        if isTerminal {
            let filled = percent * 40 / 100
            let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 40 - filled)
            print("\r   < [\(bar)] \(percent) %", terminator: percent == 100 ? "\n" : "")
            fflush(nil)
        } else {
            for quarter in stride(from: 0, through: percent, by: 25) where quarter > earlier {
                print("   < \(quarter) %")
            }
        }
    }
}
