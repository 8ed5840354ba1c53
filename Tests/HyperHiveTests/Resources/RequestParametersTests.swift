import JSON
import Testing

@testable import HyperHive

@Suite struct RequestParametersTests {
    private static let resource = HyperHiveResource(
        "R", scalarInputs: ["IV_REGION"],
        tableInputs: [.init("IT_FILTER", columns: [.init("KIND", .text), .init("N", .bigint)])])

    private func body(_ text: String, _ resource: HyperHiveResource? = Self.resource) throws -> String {
        String(decoding: try RequestParameters.body(text, for: resource), as: UTF8.self)
    }

    @Test(arguments: ["", "null", " null "]) func `no parameters are an empty object`(_ text: String) throws {
        #expect(try body(text) == "{}")
    }

    @Test(arguments: [
        #"{ "IV_REGION" : "east", "OTHER": {"b":1,"a":1.0} }"#, #"{"IT_FILTER":[["apple",1]]}"#, #"{"IT_FILTER":null}"#,
        #"{"IT_FILTER":[]}"#, #"{ "IT_FILTER" : [ [ "apple", 1.0 ] ] }"#,
    ])
    func `text that needs no change is passed on unchanged`(_ text: String) throws {
        #expect(try body(text) == text)
        #expect(try body(text, nil) == text)
    }

    @Test func `HyperHive 13: rows of table parameters become positional, a missing field is null`() throws {
        let text =
            #"{"IV_REGION":"east","IT_FILTER":[{"N":9007199254740993,"KIND":"apple"},{"KIND":"pear"},["fig"],{}]}"#
        let rows = #"[["apple",9007199254740993],["pear",null],["fig",null],[null,null]]"#
        #expect(try body(text) == #"{"IT_FILTER":\#(rows),"IV_REGION":"east"}"#)
    }

    @Test func `HyperHive 13: numbers keep their digits beside rows that become positional`() throws {
        let text =
            #"{"A/\n":[1e2],"DOC":12345678901234567890,"N":0.1234567890123456789,"#
            + #""IT_FILTER":[{"N":1234567890123456.789,"KIND":[-0,1.50]},[98765432109876543210]]}"#
        let rows = "[[[-0,1.50],1234567890123456.789],[98765432109876543210,null]]"
        #expect(
            try body(text)
                == #"{"A/\n":[1e2],"DOC":12345678901234567890,"IT_FILTER":\#(rows),"N":0.1234567890123456789}"#)
    }

    @Test(arguments: [
        ("[1]", "not a JSON object"), ("7", "not a JSON object"), ("{", "not JSON"), ("{\"a\":1}x", "not JSON"),
        (#"{"IT_FILTER":{}}"#, "not a list of rows"), (#"{"IT_FILTER":[7]}"#, "row 0"),
        (#"{"IT_FILTER":[[1,2],[1,2,3]]}"#, "row 1"), (#"{"IT_FILTER":[{"KIND":1,"OTHER":2}]}"#, "no column OTHER"),
    ])
    func `invalid parameters are an error without values`(_ text: String, _ reason: String) throws {
        let error = #expect(throws: ResourceError.self) { try body(text) }
        #expect(error?.code == .invalidParameters)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
