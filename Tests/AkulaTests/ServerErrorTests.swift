import Akula
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing

@Suite(.needsSlot) struct ServerErrorTests {
    private func error(_ route: Route, _ body: String, _ status: HTTPStatus = .notFound) async throws -> AKError {
        var thrown: AKError?
        try await Fixture.run(route) { fixture in
            thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/x") }
        } respond: {
            $0.response(status, text: body)
        }
        return try #require(thrown)
    }

    @Test(arguments: Route.allCases)
    func `Akula 10: the three mandatory fields`(route: Route) async throws {
        let error = try await self.error(route, #"{"transaction":"b7c1","code":404,"description":"No such endpoint"}"#)
        let server = try #require(error.serverError)
        #expect(server.transaction == "b7c1")
        #expect(server.code == "404")
        #expect(server.numericCode == 404)
        #expect(server.text == "No such endpoint")
        #expect(server.information == nil)
        #expect(server.cause == nil)
        #expect(server.msg == nil)
        #expect(server.stackTrace == nil)
        #expect(error.message.hasSuffix("/x: 404 Not Found: No such endpoint (code 404, transaction b7c1)"))
    }

    @Test func `an error after a byte order mark is read`() async throws {
        let error = try await self.error(.memory, "\u{FEFF}" + #"{"code":404,"description":"No such endpoint"}"#)
        #expect(error.serverError?.text == "No such endpoint")
    }

    @Test func `an error shows the server's text on one line, shortened and without named secrets`() async throws {
        let long = String(repeating: "x", count: 1000)
        let body = #"{"code":{"token":"hush"},"description":"Expired\nFAKE password=hush","transaction":"\#(long)"}"#
        let error = try await self.error(.memory, body)
        let server = try #require(error.serverError)
        for text in [error.message, error.description, server.description] {
            #expect(!text.contains("hush") && !text.contains("\n") && text.contains("Expired FAKE"), "\(text)")
            #expect(text.utf8.count < 500, "\(text)")
        }
        var dumped = ""
        dump(server, to: &dumped)
        #expect(!dumped.contains("hush") && dumped.contains("Expired FAKE"), "\(dumped)")
        // As the server sent them.
        #expect(server.text == "Expired\nFAKE password=hush" && server.transaction == long)
    }

    @Test(arguments: Route.allCases)
    func `Akula 10: all seven fields of developer mode; unknown fields are ignored`(route: Route) async throws {
        let body = """
            {"transaction":"b7c1","code":"AK-17","description":"Broken","information":"more","cause":"NPE","msg":"null",
             "stacktrace":["at A","at B"],"extra":{"a":[1]},"another":null}
            """
        let error = try await self.error(route, body, .internalServerError)
        let server = try #require(error.serverError)
        #expect(server.transaction == "b7c1")
        #expect(server.code == "AK-17")
        #expect(server.numericCode == nil)
        #expect(server.text == "Broken")
        #expect(server.information == "more")
        #expect(server.cause == "NPE")
        #expect(server.msg == "null")
        #expect(server.stackTrace == #"["at A","at B"]"#)
        #expect(error.code == .status)
        #expect(error.statusCode == 500)
    }

    @Test(
        arguments: [
            ("404", "404", 404), ("\"404\"", "404", 404), ("-1", "-1", -1), ("\"E1\"", "E1", nil), ("4.5", "4.5", nil),
        ]
            as [(String, String, Int?)])
    func `Akula 10: the code is a number or a string`(row: (json: String, code: String, number: Int?)) async throws {
        let server = try await self.error(.memory, #"{"code":\#(row.json),"description":"x"}"#).serverError
        #expect(server?.code == row.code)
        #expect(server?.numericCode == row.number)
        #expect(server?.transaction == nil)
    }

    private static let otherBodies = [
        "", "oops", "{}", "[]", "42", #"{"code":404}"#, #"{"description":"x"}"#, #"{"code":null,"description":"x"}"#,
        #"{"Code":1,"Description":"x"}"#, String(repeating: "[", count: 100_000),
    ]

    @Test(arguments: Route.allCases)
    func `Akula 10: other bodies give a status error without a server error`(route: Route) async throws {
        for body in Self.otherBodies {
            let error = try await self.error(route, body)
            let start = "\(body.prefix(60))"
            #expect(error.serverError == nil, "\(start)")
            #expect(error.code == .status, "\(start)")
            #expect(error.statusCode == 404, "\(start)")
            #expect(error.response?.text == body, "\(start)")
        }
    }

    @Test func `Akula 10: a success with an error body is not an error`() async throws {
        try await Fixture.run(.memory) { fixture in
            try await fixture.agent.get("/x")
            let thrown = await #expect(throws: AKError.self) {
                _ = try await fixture.agent.get("/x", as: .json([Int].self))
            }
            #expect(thrown?.code == .parse)
            #expect(thrown?.serverError == nil)
        } respond: {
            $0.response(json: ["transaction": "t", "code": 500, "description": "x"])
        }
    }
}
