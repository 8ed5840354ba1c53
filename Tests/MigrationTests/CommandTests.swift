import Foundation
import Testing

@testable import PatchbayMigration

@Suite struct CommandTests {
    private func run(_ text: String, _ options: [String] = []) throws -> Command.Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appending(path: "App.swift"))
        var result = Command.run(options + [folder.path])
        result.output = result.output.replacing(folder.path + "/", with: "")
        return result
    }

    @Test(arguments: [[], ["--json"], ["--wrong", "."], ["/no/such/folder"]])
    func `bad usage has status 64 and says what is right`(arguments: [String]) {
        let result = Command.run(arguments)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.error.contains("usage: patchbay-migrate [--all] [--json] PATH..."))
    }

    @Test func `help is no error`() {
        #expect(Command.run(["--help"]) == Command.Result(output: Command.usage, error: "", status: 0))
    }

    @Test func `the status is 0 if all works, and 1 if something is missing`() throws {
        #expect(try run("print(1)").status == 0)
        #expect(try run("import MobileFirst\nWLClient.sharedInstance().HTTPCookieStorage()").status == 0)
        #expect(try run("import MobileFirst\nWLAnalytics.send()").status == 1)
    }

    @Test func `the report has counts and names first, then places`() throws {
        let output = try run(
            """
            /**/ import MobileFirst
            WLClient.sharedInstance().HTTPCookieStorage()
            WLClient.sharedInstance().setServerUrl(nil)
            let text = "open
            """
        ).output
        #expect(
            output == """
                MobileFirst: 1 works otherwise, 6 works
                  works otherwise      1  WLClient.HTTPCookieStorage()
                                          returns a CookieJar, not an HTTPCookieStorage; see Documentation/MobileFirst.md#source-differences
                  works                2  WLClient
                  works                1  WLClient.setServerUrl(_:)
                  works                2  WLClient.sharedInstance()
                  works                1  import MobileFirst

                Places of MobileFirst
                App.swift:2: works otherwise: WLClient.HTTPCookieStorage() (returns a CookieJar, not an HTTPCookieStorage; see Documentation/MobileFirst.md#source-differences)

                Not read, or not completely
                App.swift:4: unterminated string

                7 places in 1 file with 3 lines.
                """)
    }

    @Test func `places that work are listed when all are asked for`() throws {
        let text = "import MobileFirst\nWLClient.sharedInstance().HTTPCookieStorage()\n"
        let hidden = try run(text).output
        let listed = try run(text, ["--all"]).output
        #expect(!hidden.contains("App.swift:1: works: import MobileFirst"))
        #expect(listed.contains("App.swift:1: works: import MobileFirst"))
        #expect(listed.contains("App.swift:2: works: WLClient.sharedInstance()"))
        #expect(listed.hasSuffix("4 places in 1 file with 2 lines."))
        #expect(!(try run("import MobileFirst\n").output.contains("Places of")))
    }

    @Test func `the JSON has the same places`() throws {
        struct Document: Decodable {
            struct Place: Decodable, Equatable {
                var vendor: String, name: String, verdict: String, advice: String?, link: String?, file: String,
                    line: Int
            }
            var files: Int, lines: Int, vendors: [String: [String: Int]], places: [Place]
        }
        let result = try run("import MobileFirst\nOCLogger.log()", ["--json"])
        let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
        #expect(result.status == 1)
        #expect(document.vendors == ["MobileFirst": ["missing": 1, "works otherwise": 0, "ambiguous": 0, "works": 1]])
        #expect(document.places.first?.name == "OCLogger")
        #expect(document.places.first?.link == "Documentation/MobileFirst.md#source-differences")
        #expect(
            document.places.last
                == Document.Place(
                    vendor: "MobileFirst", name: "import MobileFirst", verdict: "works", advice: nil, link: nil,
                    file: "App.swift", line: 1))
    }
}
