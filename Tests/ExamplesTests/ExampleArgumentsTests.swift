import Testing

@testable import ExampleSupport

@Suite struct ExampleArgumentsTests {
    @Test(arguments: [
        ([], ExampleArguments.embedded), (["--help"], .help), (["-h"], .help),
        (["--server", "http://a", "--help"], .help),
        (["--server", "https://example.com/api/"], .server("https://example.com/api")),
        (["--server", "HTTP://127.0.0.1:80"], .server("HTTP://127.0.0.1:80")),
    ])
    func `arguments are read`(words: [String], arguments: ExampleArguments) throws {
        #expect(try ExampleArguments(words) == arguments)
    }

    @Test(arguments: [
        (["--server"], "A URL is missing after --server."), (["-x"], "Unknown argument: -x."),
        (["--server", "http://a", "--server", "http://b"], "--server is there twice; use one."),
        (["http://a"], "Unknown argument: http://a."),
        (["--server", "ftp://a"], "Invalid URL after --server: ftp://a; use one such as https://example.com/api."),
        (["--server", "http://"], "Invalid URL after --server: http://; use one such as https://example.com/api."),
    ])
    func `wrong arguments are named`(words: [String], message: String) {
        let problem = #expect(throws: ExampleArguments.Problem.self) { try ExampleArguments(words) }
        #expect(problem?.description == message)
    }
}
