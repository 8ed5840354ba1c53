import ResponseDecoding
import Testing

@Suite struct ServerSentEventTests {
    @Test func `an event is a message without an id unless it says otherwise`() {
        let event = ServerSentEvent(data: "a")
        #expect(event.type == "message" && event.data == "a" && event.lastEventID == "")
        #expect(event == ServerSentEvent(type: "message", data: "a", lastEventID: ""))
        #expect(event != ServerSentEvent(data: "a", lastEventID: "1"))
    }
}
