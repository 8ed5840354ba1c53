import ResponseDecoding
import Testing

@Suite struct ServerSentEventTests {
    @Test func `default type and ID of an event`() {
        let event = ServerSentEvent(data: "a")
        #expect(event.type == "message" && event.data == "a" && event.lastEventID == "")
        #expect(event == ServerSentEvent(type: "message", data: "a", lastEventID: ""))
        #expect(event != ServerSentEvent(data: "a", lastEventID: "1"))
    }
}
