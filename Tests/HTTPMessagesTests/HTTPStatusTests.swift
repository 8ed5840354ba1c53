import HTTPMessages
import Testing

@Suite struct HTTPStatusTests {
    @Test func `a status code has three digits`() {
        for code in [Int.min, -200, 0, 99, 1000, Int.max] { #expect(HTTPStatus(code) == nil) }
        for code in [100, 299, 599, 999] { #expect(HTTPStatus(code)?.code == code) }
    }

    @Test(
        arguments: [
            (100, .informational), (199, .informational), (200, .successful), (299, .successful), (300, .redirection),
            (404, .clientError), (500, .serverError), (599, .serverError), (600, .unknown), (999, .unknown),
        ] as [(Int, HTTPStatus.Kind)])
    func `the kind is the first digit`(code: Int, kind: HTTPStatus.Kind) throws {
        let status = try #require(HTTPStatus(code))
        #expect(status.kind == kind)
        #expect(status.isSuccessful == (kind == .successful))
    }

    @Test func `named statuses have reason phrases`() {
        #expect("\(HTTPStatus.ok)" == "200 OK")
        #expect("\(HTTPStatus.notFound)" == "404 Not Found")
        #expect(HTTPStatus.gatewayTimeout.reasonPhrase == "Gateway Timeout")
        #expect(HTTPStatus(299).map { "\($0)" } == "299")
    }

    @Test func `registered statuses have reason phrases`() {
        let registered: [ClosedRange<Int>] = [
            100...104, 200...208, 226...226, 300...305, 307...308, 400...417, 421...426, 428...429, 431...431,
            451...451,
            500...508, 510...511,
        ]
        for code in 100...999 {
            let isRegistered = registered.contains { $0.contains(code) }
            #expect(HTTPStatus(code)?.reasonPhrase.isEmpty == !isRegistered, "\(code)")
        }
    }

    @Test func `statuses are ordered by code`() {
        #expect(HTTPStatus.ok < .created)
        #expect([HTTPStatus.notFound, .ok, .found].sorted() == [.ok, .found, .notFound])
    }
}
