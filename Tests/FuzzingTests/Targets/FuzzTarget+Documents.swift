import Authentication
import Foundation
import HTTPMessages
import PatchbayErrors
import ResponseDecoding
import SignIn

@testable import JSON
@testable import Monitoring
@testable import OData
@testable import PatchbayTestKit
@testable import VendorServices

extension FuzzTarget {
    private struct Item: Codable {
        var a: Int?
        var b: String?
        var c: [Double]?
        var d: Date?
        var e: Data?
        var f: [String: [Item]]?
    }

    private static let jsonWords = [
        "null", "true", "false", "\\ud83d", "\\ude00", "\\u00", "1e400", "9223372036854775808", "-0", "1E-5", "{\"a\":",
        "[[", "]]", "}", "\"a\"",
    ]

    /// A secret at the start of a body of each type.
    private static let secrets = [
        ("application/json", #"{"token":"hunter2"}"#), ("application/json", #"[{"a":"token=hunter2"},"#),
        ("application/x-www-form-urlencoded", "password=hunter2&"), ("text/xml", "<password>hunter2</password>"),
        ("application/x-www-form-urlencoded", "a=%2F%3Ftoken%3Dhunter2%26"), ("text/plain", "token: hunter2 "),
        ("text/event-stream", #"data: {"token":"hunter2"}"#),
        ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2"),
        ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=a\r\n\r\ntoken=hunter2 "),
    ]

    /// Documents that are read as a whole.
    static let documents = [
        FuzzTarget(
            "json",
            [
                #"{"a":1,"b":"\ud83d\ude00\n","c":[-2.5e3,0,1E+2],"d":null,"f":{"x":[{"a":2}]}}"#,
                "[1,\"2\",null,true]",
                "\"é\"", "-0.0", #"{"type":"about:blank","title":"t","status":404,"errors":[1]}"#,
            ],
            words: jsonWords
        ) { bytes in
            if let value = try parsed({ try JSONValue(parsing: bytes) }) {
                let again = try JSONValue(parsing: value.data())
                try promise(again == value, "another value when read again")
                let foundation = try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)
                try promise(foundation != nil, "Foundation does not read it")
                _ = Problem(value)
                _ = try parsed { try OAuthServerMetadata(document: value) }
            }
            for keys in [JSONCoding.Keys.unchanged, .snakeCase] {
                let coding = JSONCoding { $0.keys = keys }
                if let item = try parsed({ try coding.decode(Item.self, from: bytes) }) {
                    _ = try parsed { try coding.encode(item) }
                }
            }
            _ = try parsed { try JSONCoding.standard.decode(JSONValue.self, from: bytes) }
            _ = try parsed { try JSONCoding.standard.decode(TokenSet.self, from: bytes) }
        },
        FuzzTarget(
            "odata",
            [
                #"{"d":{"results":[{"__metadata":{"uri":"u","etag":"W/\"1\""},"a":1,"d":"\/Date(1403000000000+0060)\/"}]}}"#,
                #"{"@odata.count":1,"value":[{"@odata.id":"x","a":1,"b":"c"}],"@odata.nextLink":"n"}"#,
                """
                <?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" \
                xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" \
                xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"><m:count>1</m:count><entry><id>x</id>\
                <link rel="edit" href="e"/><content type="application/xml"><m:properties><d:a m:type="Edm.Int32">1</d:a>\
                <d:d m:type="Edm.DateTime">2014-06-17T10:13:20</d:d><d:b m:null="true"/></m:properties></content>\
                </entry></feed>
                """,
                "2014-06-17T10:13:20.5+01:00", "/Date(-1+0060)/",
            ],
            words: jsonWords + [
                "<d:a>", "</d:a>", "&#0;", "&amp;", "<![CDATA[", "]]>", "<!DOCTYPE", "/Date(", ")/", "Z",
            ]
        ) { bytes in
            _ = try parsed { try ODataEntry(parsing: bytes, as: [String: JSONValue].self) }
            _ = try parsed { try ODataCollection(parsing: bytes, as: Item.self) }
            _ = try parsed { try ODataEntry(parsing: bytes, as: Item.self) }
            _ = Date(odata: String(decoding: bytes, as: UTF8.self))
        },
        FuzzTarget(
            "atom",
            [
                """
                <entry xmlns="http://www.w3.org/2005/Atom" \
                xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" \
                xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"><content type="application/xml">\
                <m:properties><d:a>1</d:a><d:b m:null="true"/></m:properties></content></entry>
                """
            ],
            words: [
                "<d:a>", "</d:a>", "&#0;", "&amp;", "<![CDATA[", "]]>", "<!DOCTYPE", "<?xml encoding=\"latin1\"?>",
                "<?x?>",
                "<!--", "-->", "<!-->", "<r ", "/>", ">", "\"", "'",
            ]
        ) { bytes in
            _ = AtomEntryParser.properties(of: bytes)
            _ = ODataErrorDocument(parsing: bytes)
        },
        FuzzTarget(
            "archives",
            [
                """
                {"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[{"startedDateTime":\
                "2026-01-01T10:00:00.123+01:00","time":12.5,"request":{"method":"POST","url":"https://h/a?b=c",\
                "httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"A","value":"b"}],"queryString":[],\
                "headersSize":-1,"bodySize":3,"postData":{"mimeType":"text/plain","text":"abc"}},"response":{"status":200,\
                "statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Content-Type","value":\
                "text/plain; charset=latin1"}],"content":{"size":3,"mimeType":"text/plain","text":"AQID","encoding":\
                "base64"},"redirectURL":"","headersSize":-1,"bodySize":3},"cache":{},"timings":{"send":0,"wait":1,\
                "receive":2}}]}}
                """
            ],
            words: jsonWords + [
                "\"entries\":[", "\"base64\"", "\"status\":", "\"url\":", "\"text\":", "\"version\":\"1.2\"",
            ]
        ) { bytes in
            guard var reader = try parsed({ try HARReader(data: bytes, maximumEntryBytes: 4096) }) else { return }
            for _ in 0...(bytes.count + 8) {
                guard let next = try parsed({ try reader.next() }) else { continue }
                guard let entry = next else { return }
                _ = try parsed { try entry.exchange() }
                _ = try parsed { try entry.request.httpRequest() }
                _ = try JSONEncoder().encode(entry)
            }
            throw BrokenPromise(description: "the archive has no end")
        },
        FuzzTarget(
            "recordings",
            [
                """
                {"request":{"method":"GET","url":"https://h/a"},"response":{"status":200,"fields":["A: b"],"body":"x"}}
                """,
                #"{"request":{"method":"PUT","url":"https://h/","body":{"base64":"AQID"}},"error":{"code":"timedOut","message":"m"}}"#,
            ],
            words: jsonWords + ["\"request\":", "\"response\":", "\"base64\":", "\"status\":", "\"error\":"]
        ) { bytes in
            _ = try parsed { try JSONCoding.standard.decode(RecordedExchange.self, from: bytes) }
            _ = try parsed { try JSONCoding.standard.decode([RecordedExchange].self, from: bytes) }
        },
        FuzzTarget(
            "redaction",
            [
                #"{"token":"s","list":[{"password":1}]}"#, "token=s&a=b&password=%20",
                "event: a\ndata: {\"token\":1}\n\n",
                "<a token=\"x\"><password>y</password></a>",
                "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns\r\n--b--\r\n",
            ],
            words: ["token", "password", "\":\"", "--b", "\r\n", "&", "=", "<", ">", "\\u"]
        ) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            for type in ["text/plain; charset=utf-16", "image/png"] {
                _ = Redaction.standard.redacted(body: bytes, as: MediaType(parsing: type))
            }
            // The value of a secret stays out, also before any other bytes.
            guard !text.contains("hunter2") else { return }
            for (type, start) in secrets {
                let body = Redaction.standard.redacted(body: Data(start.utf8) + bytes, as: MediaType(parsing: type))
                let isHidden = !String(decoding: body, as: UTF8.self).contains("hunter2")
                try promise(isHidden, "a secret is shown in \(type)")
            }
            for start in ["token=hunter2 ", "{\"token\":\"hunter2\"}", "<a token=\"hunter2\"/>", "a://b:hunter2@c "] {
                let isHidden = !Redaction.standard.redacted(text: start + text).contains("hunter2")
                try promise(isHidden, "a secret is shown in text")
            }
        },
    ]
}
