import Foundation
import HTTPMessages
import Monitoring
import TestSupport
import Testing

/// Behavior 8: archives beside a reader that others wrote, haralyzer of PyPI.
@Suite(.needsSlot, .enabled(if: Haralyzer.isAvailable, "haralyzer is not installed: pip install haralyzer"))
struct HaralyzerTests {
    @Test func `haralyzer finds requests, statuses, types and times`() throws {
        let script = """
            import json, sys
            from haralyzer import HarParser
            parser = HarParser(json.load(open(sys.argv[1])))
            assert parser.creator["name"] == "Patchbay"
            for page in parser.pages:
                for entry in page.entries:
                    print(entry.request.method, entry.request.url, entry.response.status, entry.response.mimeType,
                        entry.time, entry.startTime.isoformat())
            """
        let entries = try [
            HARSamples.exchange(), HARSamples.exchange("https://shop.example.com/b", method: .post, body: .text("[]")),
        ]
        try HARSamples.withFile { file in
            let writer = try HARWriter(file)
            for entry in entries { try writer.append(entry) }
            try writer.close()
            let (ending, output) = try Haralyzer.run(script, [file.path])
            #expect(ending == .exited(0))
            let lines = output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(
                lines.first?.hasPrefix("GET https://shop.example.com/items?page=2 200 application/json 36.5") == true)
        }
    }
}

/// Python with the package, if it is installed.
private enum Haralyzer {
    static func run(_ script: String, _ arguments: [String] = []) throws -> (
        ending: ChildProcess.Ending, output: String
    ) {
        let output = Pipe()
        let process = try ChildProcess(
            "/usr/bin/env", ["python3", "-c", script] + arguments, output: output.fileHandleForWriting)
        // Close our end, so that the pipe ends when the process exits.
        try output.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        return (process.waitUntilExit(), String(decoding: data, as: UTF8.self))
    }

    static let isAvailable = (try? run("import haralyzer").ending) == .exited(0)
}
