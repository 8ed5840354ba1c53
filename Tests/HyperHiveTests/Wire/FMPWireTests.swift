import Foundation
import HTTPMessages
import Testing

@testable import HyperHive

@Suite struct FMPWireTests {
    private let configuration = HyperHiveConfiguration(
        host: "https://fmp.example.com/hive/", environment: "work env", project: "Обед", device: "device-1")

    @Test(arguments: [
        ("http://h", "http://h/api/v1/schema"), ("http://h/", "http://h/api/v1/schema"),
        ("http://h:8080//", "http://h:8080/api/v1/schema"), ("https://h/fmp", "https://h/fmp/api/v1/schema"),
        ("https://h/fmp/", "https://h/fmp/api/v1/schema"),
    ])
    func `HyperHive 23: host with and without a trailing slash`(host: String, url: String) throws {
        var configuration = configuration
        configuration.host = host
        #expect(try FMPWire().schemaRequest(token: nil, configuration).url.absoluteString == url)
    }

    @Test(arguments: ["", "fmp.example.com", "ftp://h", "http://user@h", "http://h?a=1"])
    func `HyperHive 23: a host that is no URL is refused`(host: String) {
        #expect(throws: HTTPMessageError.self) { try HostURL(host) }
    }

    @Test(arguments: [
        ("FRUITS", "FRUITS"), ("a b", "a%20b"), ("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c"), ("50%", "50%25"),
        ("Обед", "%D0%9E%D0%B1%D0%B5%D0%B4"), ("..a", "..a"),
    ])
    func `names are percent-encoded in the path`(name: String, segment: String) throws {
        let request = try FMPWire().resourceRequest(ResourceRequest(name), token: "t", configuration)
        #expect(request.url.absoluteString == "https://fmp.example.com/hive/api/v1/rpc/\(segment)/")
    }

    @Test func `descriptions and dumps of a request show names, and no values of fields, parameters and bodies`() {
        let values: [Any] = [
            ResourceRequest(
                "FRUITS", body: Data("sesame".utf8), headers: ["X-Key": "sesame"], query: ["page": "sesame"]),
            HyperHiveCallOptions(headers: ["X-Key": "sesame"], query: ["page": "sesame"]),
        ]
        for value in values {
            var text = "\(value)"
            dump(value, to: &text)
            #expect(!text.contains("sesame") && text.contains("X-Key") && text.contains("page"), "\(text)")
        }
    }

    @Test(arguments: ["", ".", ".."])
    func `names that change the path are refused`(name: String) {
        #expect(throws: HTTPMessageError.self) {
            try FMPWire().resourceRequest(ResourceRequest(name), token: "t", configuration)
        }
    }

    @Test(arguments: [
        ("ann", "p@ss:w%rd+1"), ("Анна", "пароль"), ("a@b.example", "%41"), ("a+b", "x y"),
    ])
    func `HyperHive 20: login and password are sent as they are`(login: String, password: String) throws {
        let request = try FMPWire().signInRequest(login: login, password: password, configuration)
        #expect(request.url.absoluteString == "https://fmp.example.com/hive/api/v1/auth/")
        #expect(try decodedBasic(request) == "\(login):\(password)")
    }

    @Test func `HyperHive 20: an option for apps that percent-encode them`() throws {
        let wire = FMPWire(decodesCredentials: true)
        let request = try wire.signInRequest(login: "a%40b", password: "p%25%3A%D0%B0+", configuration)
        #expect(try decodedBasic(request) == "a@b:p%:а+")
        #expect(throws: HTTPMessageError.self) {
            try wire.signInRequest(login: "a%zz", password: "p", configuration)
        }
        #expect(throws: HTTPMessageError.self) {
            try wire.signInRequest(login: "a%3Ab", password: "p", configuration)
        }
    }

    private func decodedBasic(_ request: HTTPRequest) throws -> String {
        let value = try #require(request.fields["Authorization"])
        let data = try #require(Data(base64Encoded: String(value.dropFirst("Basic ".count))))
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `HyperHive 23: environment and project are in the body of the sign-in only`() async throws {
        let request = try FMPWire().signInRequest(login: "ann", password: "p", configuration)
        let body = try JSONValue(parsing: await request.body.collect())
        #expect(body == ["environment": "work env", "project": "Обед"])
        #expect(!request.url.absoluteString.contains("work"))
    }

    @Test func `HyperHive 24: the fields of all requests`() throws {
        let wire = FMPWire()
        let id = UUID().uuidString
        let resource = ResourceRequest(
            "R", deltaBase: 3, etag: "\"a\"", transactionID: id, headers: ["X-Own": "1", "Accept": "text/x"],
            query: ["b": "2 3", "a": "1"])
        let requests = [
            try wire.signInRequest(login: "a", password: "p", configuration),
            try wire.schemaRequest(token: "T0", configuration),
            try wire.resourceRequest(resource, token: "T0", configuration),
            try wire.transactionsRequest(of: "R S", token: "T0", configuration),
            try wire.transactionRequest(id, of: "R", isDeletion: true, token: "T0", configuration),
        ]
        #expect(requests.allSatisfy { $0.fields["X-Device-Id"] == "device-1" })
        #expect(requests.dropFirst().allSatisfy { $0.fields["Authorization"] == "Bearer T0" })
        #expect(requests.map(\.method) == [.post, .get, .post, .get, .delete])
        let fields = requests[2].fields
        #expect(fields["X-Delta"] == "v3-last" && fields["If-None-Match"] == "\"a\"")
        #expect(fields["X-Transaction-ID"] == id && fields["X-Own"] == "1" && fields["Accept"] == "text/x")
        #expect(requests[2].url.query() == "a=1&b=2%203")
        #expect(requests[3].url.absoluteString.hasSuffix("/api/v1/transactions/?resource=R%20S"))
        #expect(requests[4].url.absoluteString.hasSuffix("/api/v1/transactions/\(id)/"))
        let plain = try wire.resourceRequest(ResourceRequest("R"), token: nil, configuration).fields
        for name in ["X-Delta", "If-None-Match", "X-Transaction-ID", "Authorization"] { #expect(plain[name] == nil) }
    }

    @Test func `tokens and transaction lists of other structures are nil`() throws {
        let url = try #require(URL(string: "http://h/"))
        func token(_ body: String) -> String? {
            FMPWire().token(in: HTTPResponse(status: .ok, body: Data(body.utf8), url: url))
        }
        #expect(token(#"{"token":"a"}"#) == "a")
        #expect(token("\u{FEFF}" + #"{"token":"a"}"#) == "a")
        for body in [#"{"token":""}"#, #"{"token":1}"#, "[]", "", "x"] { #expect(token(body) == nil) }
        #expect(FMPWire().transactionIDs(in: [["uuid": "a"], ["uuid": "b"]]) == ["a", "b"])
        #expect(FMPWire().transactionIDs(in: []) == [])
        #expect(FMPWire().transactionIDs(in: [["id": "a"]]) == nil)
        #expect(FMPWire().transactionIDs(in: ["uuid": "a"]) == nil)
    }
}
