import Foundation
import OracleCX
import PatchbayTestKit
import Testing

@Suite struct ORARequestTests {
    @Test func `Oracle 2: defaults`() {
        for request in [ORARequest(url: "https://example.com/x"), ORARequest(payload: ["a": 1])] {
            #expect(request.requestType == POST && request.priority == Normal && request.retryCount == 1)
            #expect(!request.compression)
            #expect(request.requestBody == nil && request.headers == nil && request.requestTag == nil)
        }
    }

    @Test func `Oracle 2: each initializer sets its property`() {
        #expect(ORARequest(url: "x").url == "x")
        #expect(ORARequest(url: "x").payload == nil)
        #expect(ORARequest(payload: ["a": 1]).payload?["a"] as? Int == 1)
        #expect(ORARequest(payload: ["a": 1]).url == nil)
    }

    @Test func `a copy has all values and is independent`() throws {
        let request = ORARequest()
        request.url = "https://example.com/x"
        request.requestType = GET
        let shared = NSMutableArray()
        request.payload = ["a": 1, "list": shared]
        request.requestBody = Data("body".utf8)
        request.headers = ["X-A": "1"]
        request.compression = true
        request.retryCount = 7
        request.priority = Immediate
        request.requestTag = "tag"
        let observer = EventRecorder()
        request.observer = observer
        let copy = request.copy()
        request.url = nil
        request.requestType = POST
        request.payload?["a"] = 2
        request.requestBody = nil
        request.headers = nil
        request.compression = false
        request.retryCount = 0
        request.priority = Normal
        request.requestTag = nil
        request.observer = nil
        #expect(copy.url == "https://example.com/x" && copy.requestType == GET && copy.requestTag == "tag")
        #expect(copy.payload?["a"] as? Int == 1 && copy.headers?["X-A"] as? String == "1")
        #expect(copy.requestBody == Data("body".utf8) && copy.compression)
        #expect(copy.retryCount == 7 && copy.priority == Immediate)
        #expect(copy.observer as? EventRecorder === observer)
        // A shallow copy, as in the vendor's class.
        #expect(copy.payload?["list"] as? NSMutableArray === shared)
    }

    @Test func `Oracle 3: both spellings access one value`() {
        let request = ORARequest(url: nil)
        request.priotity = Immediate
        #expect(request.priority == Immediate)
        request.priority = Normal
        #expect(request.priotity == Normal)
        request.requestTAG = "a"
        #expect(request.requestTag == "a")
        request.requestTag = "b"
        #expect(request.requestTAG == "b")
    }

    @Test(arguments: [
        (0, 0), (1, 1), (15, 15), (-1, 0), (16, 15), (.min, 0), (.max, 15),
    ])
    func `Oracle 5: retryCount is clamped to 0...15`(set: Int, kept: Int) {
        let request = ORARequest(url: nil)
        request.retryCount = set
        #expect(request.retryCount == kept)
    }

    @Test func `descriptions have no secrets`() {
        let request = ORARequest(url: "https://ann:pw@example.com/x?token=hush&a=1")
        request.headers = ["Authorization": "hush"]
        request.payload = ["password": "hush"]
        request.requestBody = Data("hush".utf8)
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", dumped, String(reflecting: request)] {
            #expect(!text.contains("hush") && !text.contains("pw"), "\(text)")
        }
        #expect("\(request)".hasPrefix("POST https://example.com/x"))
        #expect("\(ORARequest(url: nil))" == "POST (no URL)")
        #expect(!"\(ORARequest(url: "no url\nhush"))".contains("hush"))
    }
}
