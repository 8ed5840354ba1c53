import Foundation

#if os(Linux)
    /// The resources of this process.
    struct ProcessState {
        let descriptors: Int
        let threads: Int
        let residentMegabytes: Int

        static func current() throws -> ProcessState {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            func number(_ name: String) -> Int {
                let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
                return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
            }
            return ProcessState(
                descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
                threads: number("Threads"), residentMegabytes: number("VmRSS") / 1024)
        }
    }
#endif
