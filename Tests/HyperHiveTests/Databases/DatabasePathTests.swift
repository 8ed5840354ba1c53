import StoreCore
import Testing

@testable import HyperHive

@Suite struct DatabasePathTests {
    private static let documents = "/var/app/Documents"

    @Test(arguments: [
        "/var/app/Documents/x.sqlite", "/Documents/x.sqlite", "x.sqlite", "/Documents//x.sqlite", "./x.sqlite",
        "/var/app/./Documents/x.sqlite",
    ])
    func `HyperHive 4: all spellings of a path are one file`(_ text: String) throws {
        let path = try DatabasePath(text, documents: Self.documents)
        #expect(path.location == .file("/var/app/Documents/x.sqlite"))
        #expect(path.name == "x.sqlite")
    }

    @Test func `HyperHive 4: other folders`() throws {
        func file(_ text: String, _ documents: String = Self.documents) throws -> String {
            try DatabasePath(text, documents: documents).description
        }
        #expect(try file("/tmp/x.sqlite") == "/tmp/x.sqlite")
        #expect(try file("a/x.sqlite") == "/var/app/Documents/a/x.sqlite")
        #expect(try file("/Documents/a/x") == "/var/app/Documents/a/x")
        #expect(try file("/Documents2/x") == "/Documents2/x")
        #expect(try file("Documents/x") == "/var/app/Documents/Documents/x")
        #expect(try file("/Documents/x", "/Documents") == "/Documents/x")
        #expect(try file("/Documents/app/x", "/Documents/app") == "/Documents/app/x")
        // As a character, a slash before a combining mark is another one.
        #expect(try file("/tmp/\u{301}x") == "/tmp/\u{301}x")
        #expect(try file("/\u{301}x") == "/\u{301}x")
        #expect(try DatabasePath("a/\u{301}x", documents: Self.documents).name == "\u{301}x")
        #expect(try file("..x") == "/var/app/Documents/..x")
        #expect(try file(":memory:") == ":memory:")
    }

    @Test(arguments: [
        "", "/", "..", "../x", "/Documents/../x", "a/../../x", "x/", "/Documents/", "/Documents", "a\0b", "x/.", ".",
        "../\u{301}x", "/..\u{2F}\u{301}x",
    ])
    func `HyperHive 4: invalid paths are refused`(_ text: String) {
        let error = #expect(throws: StoreError.self) { try DatabasePath(text, documents: Self.documents) }
        #expect(error?.code == .invalidArgument)
    }
}
