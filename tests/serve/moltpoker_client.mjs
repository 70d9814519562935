// A client of moltpoker's platform for Node 20 or later, with the habits of its SDK: envelope format, answers again by
// itself after an illegal action, reconnects with the same token, leaves at the end.
// node --experimental-websocket client.mjs BASE_URL [CUT_AT_DECISION] [ILLEGAL_AT_DECISION]

const [base, cutAt, illegalAt] = [process.argv[2], Number(process.argv[3] ?? 0), Number(process.argv[4] ?? 0)]
const RECONNECT_MS = 200
const MOST_RECONNECTS = 10
const MOST_RETRIES = 2
const seen = { seats: [], hands: 0, decisions: 0, connections: 0, codes: [], left: null }

async function post(path, body, key) {
  const headers = { 'Content-Type': 'application/json', ...(key ? { Authorization: `Bearer ${key}` } : {}) }
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer
}

const { api_key: key } = await post('/v1/agents', { name: 'node' })
const joined = await post('/v1/tables/auto-join', { client_protocol_version: '0.1' }, key)
let seat = joined.seat_id
let reconnects = 0
let over = false
let pending = null
let socket = null

function act(state, attempt) {
  if (socket.readyState !== WebSocket.OPEN) return
  const kinds = state.legalActions.map((each) => each.kind)
  const illegal = seen.decisions === illegalAt && attempt === 0
  const kind = illegal ? 'raiseTo' : kinds.includes('check') ? 'check' : 'call'
  const action = { turn_token: state.turn_token, kind, ...(illegal ? { amount: 1 } : {}) }
  pending = { state, attempt }
  socket.send(JSON.stringify({ type: 'action', action, expected_seq: state.seq }))
}

async function leave() {
  if (over) return
  over = true
  socket.close(1000, 'Client disconnect')
  seen.left = await post(`/v1/tables/${joined.table_id}/leave`, {}, key)
  console.log(JSON.stringify(seen))
  process.exit(0)
}

function hear({ type, payload }) {
  if (type === 'welcome') {
    seat = payload.seat_id
    seen.seats.push(seat)
  } else if (type === 'game_state' && payload.currentSeat === seat && payload.legalActions?.length) {
    seen.decisions += 1
    pending = null
    if (seen.decisions === cutAt) socket.close()
    else act(payload, 0)
  } else if (type === 'error') {
    seen.codes.push(payload.code)
    if (payload.code === 'INVALID_ACTION' && pending && pending.attempt < MOST_RETRIES)
      act(pending.state, pending.attempt + 1)
  } else if (type === 'hand_complete') {
    seen.hands += 1
    if (!payload.results.every((each) => Array.isArray(each.holeCards))) throw new Error('hole cards are no list')
  } else if (type === 'table_status' && payload.status === 'ended') leave()
}

function connect() {
  socket = new WebSocket(`${joined.ws_url}?token=${encodeURIComponent(joined.session_token)}`)
  socket.addEventListener('open', () => {
    seen.connections += 1
    reconnects = 0
  })
  socket.addEventListener('message', (event) => hear(JSON.parse(event.data)))
  socket.addEventListener('close', (event) => {
    if (event.code === 1000 && event.reason.toLowerCase().includes('table ended')) leave()
    else if (!over && reconnects++ < MOST_RECONNECTS) setTimeout(connect, RECONNECT_MS)
    else if (!over) process.exit(1)
  })
}

connect()
