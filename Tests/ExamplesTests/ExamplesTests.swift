import ExampleSupport
import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import akula_orders
@testable import github_client
@testable import hyperhive_stock
@testable import mobilefirst_account
@testable import oauth_login
@testable import offline_notes
@testable import oracle_events
@testable import resumed_download
@testable import sdm_flights
@testable import stock_sync
@testable import tested_shop

/// Runs each example against its own server, and against one elsewhere.
@Suite(.needsSlot, .enabled(if: BuiltProducts.contains(AkulaOrders.name))) struct ExamplesTests {
    /// An example, and lines that it has to print.
    struct Sample: CustomTestStringConvertible, Sendable {
        let example: any (Example & Sendable).Type
        let lines: [String]
        var testDescription: String { example.name }

        init(_ example: any (Example & Sendable).Type, _ lines: String...) {
            self.example = example
            self.lines = lines
        }
    }

    static let samples = [
        Sample(AkulaOrders.self, "  1 patch cable", "  Log in first", "Changed: 3 x jack plate", "Logged out."),
        Sample(HyperHiveStock.self, "First load: 4 rows", "Second load: 4 changes", "Third load: HTTP status 304"),
        Sample(OracleEvents.self, #"  opened: {"accepted":1}"#, "  empty: status 400", "  accepted: 1"),
        Sample(MobileFirstAccount.self, "  balance: 120", "  after a transfer: 100", "  balance: 100", "  status 404"),
        Sample(
            SDMFlights.self, "Registered com.example.flights.", "A seat is booked: 349 seats left",
            "Read again, and booked: 348 seats left"),
        Sample(
            GitHubClient.self, "  5 Issue 5", "  log: a new token", "  6 It breaks",
            "An error of the server: A title is missing"),
        Sample(
            ResumedDownload.self, "  start 1: interrupted; at its place: false",
            "  start 3: complete, 1000000 bytes; resumed: true", "  the same content: true",
            "  digestMismatch; at its place: false"),
        Sample(
            OfflineNotes.self, "First load: 2 notes; Notes work in a tunnel.", "  waiting: 3 requests",
            "  changed on both sides: [title]; this app's side is kept",
            #"  here: ["Tea for two: Assam, one tin", "Garden fence: Paint it green", "Tunnel: It is dark"]"#),
        Sample(
            StockSync.self, "First load: 3 rows", "Delta: 1 row, 1 deleted", #"To order: ["Lamp, 8 left"]"#,
            "After a restart: 0 rows, nothing new: true"),
        Sample(
            OAuthSignIn.self, "  login_required", "  log: GET /orders: 401 Unauthorized",
            "Signed out, here and at the server.", "  stored tokens: none"),
        Sample(TestedShop.self, "Recorded: 2 exchanges, with the new order", "Each call has ended once."),
    ]

    @Test(arguments: samples)
    func `an example runs against its own server, and prints the same with the same server elsewhere`(
        sample: Sample
    ) async throws {
        let example = sample.example
        let (ending, output) = try await ExampleProcess.run(example.name)
        #expect(ending == .exited(0), "\(output)")
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.last == "done")
        for line in sample.lines { #expect(lines.contains(line), "\(output)") }

        try await example.startServer().stopping { server in
            let (ending, other) = try await ExampleProcess.run(example.name, "--server", example.url(of: server) + "/")
            #expect(ending == .exited(0) && other == output, "\(other)")
        }
    }

    @Test func `wrong arguments are named, with the usage, and end with 2`() async throws {
        for sample in Self.samples {
            let name = sample.example.name
            let (ending, output) = try await ExampleProcess.run(name, "--sever", "http://127.0.0.1:1")
            #expect(ending == .exited(2))
            #expect(output.hasPrefix("\(name): Unknown argument: --sever.\n") && output.contains("[--server URL]"))
        }
    }

    @Test func `the help says what a server has to offer`() async throws {
        for sample in Self.samples {
            let (ending, output) = try await ExampleProcess.run(sample.example.name, "--help")
            #expect(ending == .exited(0) && output.hasPrefix(sample.example.summary))
            #expect(output.contains(sample.example.requirements))
        }
    }

    @Test func `an error ends an example with 1, and without done`() async throws {
        let nowhere = try RefusedPort()
        let (ending, output) = try await ExampleProcess.run(StockSync.name, "--server", nowhere.url.absoluteString)
        #expect(ending == .exited(1) && output.hasPrefix("stock-sync: ") && !output.contains("done\n"), "\(output)")
    }

    @Test func `each folder with a program is run`() throws {
        let examples = URL(filePath: #filePath).appending(path: "../../../Examples").standardized
        let names = try FileManager.default.contentsOfDirectory(atPath: examples.path)
        let programs = try names.filter { name in try hasProgram(examples.appending(path: name)) }
        #expect(Set(programs) == Set(Self.samples.map { $0.example.name }))
    }

    private func hasProgram(_ folder: URL) throws -> Bool {
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            guard file.hasSuffix(".swift") else { continue }
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            if text.contains("\n@main ") { return true }
        }
        return false
    }
}
