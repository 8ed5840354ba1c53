import Foundation

/// Resource usage of this process from `/proc`; zeros on other systems than Linux.
struct Usage {
    let descriptors: Int
    let threads: Int
    let bytes: Int

    static var now: Usage {
        func entries(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0 }
        return Usage(descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"), bytes: bytes("VmRSS:"))
    }

    /// The peak memory in bytes since the last ``resetPeak()``.
    static var peak: Int { bytes("VmHWM:") }

    static func resetPeak() { try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }

    private static func bytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1024
    }
}
