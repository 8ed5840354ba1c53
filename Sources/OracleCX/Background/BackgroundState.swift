/// What becomes of the queue when the app goes to the background and comes back, as a state machine without I/O.
///
/// | in the background | the queue | time asked for |
/// |---|---|---|
/// | by default | pauses | no |
/// | with the background task enabled | goes on until the time is over | while requests are left |
struct BackgroundState: Sendable {
    enum Event: Hashable, Sendable {
        /// The app was put away; whether requests go on was read just then.
        case enteredBackground(goesOn: Bool)
        case enteredForeground
        case requestAdded
        case requestEnded
        /// The time that was asked for is over.
        case timeExpired
    }
    enum Action: Hashable, Sendable {
        case pause
        case resume
        case beginTime
        case endTime
    }
    private enum Place: Hashable {
        case foreground
        case paused
        case goingOn
    }

    private var place = Place.foreground
    private var requests = 0
    private var hasTime = false

    mutating func handle(_ event: Event) -> [Action] {
        let before = place
        switch event {
        case .enteredBackground(let goesOn): if place == .foreground { place = goesOn ? .goingOn : .paused }
        case .enteredForeground: place = .foreground
        case .requestAdded: requests += 1
        case .requestEnded: requests -= 1
        case .timeExpired: if place == .goingOn, hasTime { place = .paused }
        }
        var actions: [Action] = []
        if before != .paused, place == .paused { actions.append(.pause) }
        let needsTime = place == .goingOn && requests > 0
        if needsTime != hasTime { actions.append(needsTime ? .beginTime : .endTime) }
        hasTime = needsTime
        if before == .paused, place != .paused { actions.append(.resume) }
        return actions
    }
}
