import Foundation

/// What the ratios of a run depend on besides the code: sizes and rounds, processor and toolchain.
struct RunConditions: Codable, Equatable, CustomStringConvertible {
    /// Whether the run is a short one: the sizes in names are others then, and there is one round.
    let quick: Bool
    let processor: String
    /// The version of Swift, whose Foundation many subjects are compared with.
    let toolchain: String

    var description: String { "a \(quick ? "short" : "full") run on \(processor) with Swift \(toolchain)" }

    /// The conditions of this process.
    /// - Throws: ``Invalid``, or Foundation's error, if the system does not say what they are.
    static func current(quick: Bool) throws -> Self {
        RunConditions(quick: quick, processor: try processor(), toolchain: try toolchain())
    }

    private static func processor() throws -> String {
        let file = URL(filePath: "/proc/cpuinfo")
        guard FileManager.default.fileExists(atPath: file.path) else {
            return try output(of: "sysctl", "-n", "machdep.cpu.brand_string")
        }
        let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
        // A virtual machine may name the maker only, and tell its models apart by numbers. ARM has only these.
        for names in [["model name", "cpu family", "model", "stepping"], ["CPU implementer", "CPU part"]] {
            let values = names.compactMap { name in
                lines.first { $0.prefix { $0 != ":" }.trimmingCharacters(in: .whitespaces) == name }?
                    .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
            }
            if !values.isEmpty { return values.joined(separator: ", ") }
        }
        throw Invalid(description: "/proc/cpuinfo names no processor.")
    }

    private static func toolchain() throws -> String {
        let text = try output(of: "swift", "--version")
        guard let version = text.firstMatch(of: /Swift version ([^ ]+)/)?.1 else {
            throw Invalid(description: "`swift --version` prints no version; add the toolchain to PATH.")
        }
        return String(version)
    }

    private static func output(of words: String...) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Conditions that are not known.
    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }
}
