import Testing

@testable import ExampleSupport

@Suite struct ExampleArgumentsTests {
    @Test(arguments: [
        ([], ExampleArguments.embedded), (["--help"], .help), (["-h"], .help),
        (["--server", "http://a", "--help"], .help),
        (["--server", "https://example.com/api/"], .server("https://example.com/api")),
        (["--server", "https://example.com///"], .server("https://example.com")),
        (["--server", "HTTP://127.0.0.1:80"], .server("HTTP://127.0.0.1:80")),
    ])
    func `arguments are read`(words: [String], arguments: ExampleArguments) throws {
        #expect(try ExampleArguments(words) == arguments)
    }

    private static let invalidURL =
        "Invalid URL after --server; use one such as https://example.com/api, without user and query."

    @Test(arguments: [
        (["--server"], "A URL is missing after --server."), (["-x"], "Unknown argument: -x."),
        (["--server", "http://a", "--server", "http://b"], "--server is there twice; use one."),
        (["http://a"], "Unknown argument: http://a."),
        (["--server", "ftp://a"], invalidURL), (["--server", "http://"], invalidURL),
        (["--server", "https://ann:secret@example.com"], invalidURL), (["--server", "https://ann@a"], invalidURL),
        (["--server", "https://example.com/api?key=1"], invalidURL), (["--server", "https://a/#b"], invalidURL),
    ])
    func `wrong arguments are named`(words: [String], message: String) {
        let problem = #expect(throws: ExampleArguments.Problem.self) { try ExampleArguments(words) }
        #expect(problem?.description == message)
    }
}
