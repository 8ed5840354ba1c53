import Akula
import Foundation
import HTTPMessages
import Monitoring
import PatchbayTestKit
import Testing

/// Behavior 13 of monitoring: the traffic of an app on the vendor's SDK, in an HTTP archive, beside that of the facade.
@Suite struct OldTrafficTests {
    /// A session by the vendor's wire protocol: login, reads and a write in it, the vendor's error, logout.
    private static let archive = #"""
        {"log": {"version": "1.2", "creator": {"name": "Proxy", "version": "11"}, "entries": [
          {"startedDateTime": "2013-05-02T09:15:00.000+02:00", "time": 120, "cache": {},
           "timings": {"send": 1, "wait": 117, "receive": 2},
           "request": {"method": "POST", "url": "http://akula.example.com/akula/shop/auth/login",
             "httpVersion": "HTTP/1.1", "cookies": [], "queryString": [], "headersSize": -1, "bodySize": 74,
             "headers": [{"name": "Host", "value": "akula.example.com"}, {"name": "Accept", "value": "application/json"},
               {"name": "Content-Type", "value": "application/json"}, {"name": "User-Agent", "value": "Shop/1.0 CFNetwork"}],
             "postData": {"mimeType": "application/json",
               "text": "{\"principal\":{\"user\":\"ada\"},\"secret\":{\"password\":\"<redacted>\"}}"}},
           "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "redirectURL": "",
             "headersSize": -1, "bodySize": -1, "headers": [{"name": "Content-Type", "value": "application/json"}],
             "content": {"size": 68, "mimeType": "application/json",
               "text": "{\"token\":\"6f1c9d2e-0c55-4c57-9f4e-0b3a5f1f2a10\",\"timeout\":1800000}"}}},
          {"startedDateTime": "2013-05-02T09:15:01.000+02:00", "time": 40, "cache": {},
           "timings": {"send": 0, "wait": 39, "receive": 1},
           "request": {"method": "GET", "url": "http://akula.example.com/akula/shop/data/orders?region=east&page=1",
             "httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1, "bodySize": 0,
             "queryString": [{"name": "region", "value": "east"}, {"name": "page", "value": "1"}],
             "headers": [{"name": "Accept", "value": "application/json"}, {"name": "Content-Type", "value": "application/json"},
               {"name": "X-Ak-Session-Id", "value": "6f1c9d2e-0c55-4c57-9f4e-0b3a5f1f2a10"}]},
           "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "redirectURL": "",
             "headersSize": -1, "bodySize": -1, "headers": [{"name": "Content-Type", "value": "application/json"}],
             "content": {"size": 28, "mimeType": "application/json", "text": "[{\"id\":7,\"item\":\"tea\"}]"}}},
          {"startedDateTime": "2013-05-02T09:15:02.000+02:00", "time": 50, "cache": {},
           "timings": {"send": 0, "wait": 49, "receive": 1},
           "request": {"method": "PUT", "url": "http://akula.example.com/akula/shop/data/orders/7",
             "httpVersion": "HTTP/1.1", "cookies": [], "queryString": [], "headersSize": -1, "bodySize": 24,
             "headers": [{"name": "Accept", "value": "application/json"}, {"name": "Content-Type", "value": "application/json"},
               {"name": "X-Ak-Session-Id", "value": "6f1c9d2e-0c55-4c57-9f4e-0b3a5f1f2a10"}],
             "postData": {"mimeType": "application/json", "text": "{\"item\":\"tea\",\"count\":2}"}},
           "response": {"status": 404, "statusText": "Not Found", "httpVersion": "HTTP/1.1", "cookies": [],
             "redirectURL": "", "headersSize": -1, "bodySize": -1,
             "headers": [{"name": "Content-Type", "value": "application/json"}],
             "content": {"size": 66, "mimeType": "application/json",
               "text": "{\"transaction\":\"b7c1\",\"code\":404,\"description\":\"No such endpoint\"}"}}},
          {"startedDateTime": "2013-05-02T09:15:03.000+02:00", "time": 20, "cache": {},
           "timings": {"send": 0, "wait": 19, "receive": 1},
           "request": {"method": "POST", "url": "http://akula.example.com/akula/shop/auth/logout",
             "httpVersion": "HTTP/1.1", "cookies": [], "queryString": [], "headersSize": -1, "bodySize": 0,
             "headers": [{"name": "Accept", "value": "application/json"}, {"name": "Content-Type", "value": "application/json"},
               {"name": "X-Ak-Session-Id", "value": "6f1c9d2e-0c55-4c57-9f4e-0b3a5f1f2a10"}]},
           "response": {"status": 204, "statusText": "No Content", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
             "redirectURL": "", "headersSize": -1, "bodySize": 0, "content": {"size": 0, "mimeType": "x-unknown"}}}
        ]}}
        """#

    private func replay() throws -> TrafficReplay {
        var reader = try HARReader(data: Data(Self.archive.utf8))
        var exchanges: [(request: HTTPRequest, response: HTTPResponse)] = []
        while let entry = try reader.next() {
            if let exchange = try entry.exchange() { exchanges.append(exchange) }
        }
        #expect(exchanges.count == 4)
        return TrafficReplay(exchanges)
    }

    private func agent(_ transport: TrafficReplay) throws -> ServerAgent<TrafficReplay> {
        let scope = AKAppScope()
        try scope.initialize("http://akula.example.com/akula/shop")
        return ServerAgent(transport: transport, scope: scope)
    }

    /// What the app did, by the path of the recorded request.
    private func call(_ recorded: HTTPRequest, _ agent: ServerAgent<TrafficReplay>, count: Int, region: String)
        async throws
    {
        switch recorded.url.lastPathComponent {
        case "login": try await agent.login(principal: ["user": "ada"], secret: ["password": "another"])
        case "orders":
            let data = AKHTTPRequestData()
            data.addQueryParameter("region", value: region)
            data.addQueryParameter("page", value: "1")
            let response = try await agent.get("/data/orders", requestData: data)
            #expect(response.data == Data(#"[{"id":7,"item":"tea"}]"#.utf8))
        case "7":
            let data = AKHTTPRequestData()
            data.bodyData = AKJSONHTTPBody(["count": .integer(Int64(count)), "item": "tea"])
            let error = await #expect(throws: AKError.self) { try await agent.put("/data/orders/7", requestData: data) }
            #expect(error?.serverError?.transaction == "b7c1")
        default: try await agent.logout()
        }
    }

    @Test func `the facade sends what the vendor's SDK sent`() async throws {
        let replay = try replay()
        let agent = try agent(replay)
        let report = await replay.run { try await call($0, agent, count: 2, region: "east") }
        #expect(report.isClean, "\(report)")
    }

    @Test func `a change of the app's calls is listed per request`() async throws {
        let replay = try replay()
        let agent = try agent(replay)
        let report = await replay.run { try await call($0, agent, count: 3, region: "west") }
        let base = "http://akula.example.com/akula/shop/data/orders"
        #expect(
            "\(report)" == """
                1. GET \(base)?region=east&page=1: query parameter `region`: recorded east, sent west
                2. PUT \(base)/7: body at `count`: recorded 2, sent 3
                """)
    }
}
