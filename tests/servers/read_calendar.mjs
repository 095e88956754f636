// Reads a scheduling message with ical.js, as Thunderbird and others do, and tells what it understood as JSON.
import { readFileSync } from 'node:fs';
import ICAL from 'ical.js';

const calendar = new ICAL.Component(ICAL.parse(readFileSync(0, 'utf8')));
const person = (property) => ({
  address: property.getFirstValue(),
  name: property.getParameter('cn') ?? '',
  partstat: property.getParameter('partstat') ?? '',
  role: property.getParameter('role') ?? '',
  rsvp: property.getParameter('rsvp') ?? '',
  sentBy: property.getParameter('sent-by') ?? '',
});
const told = calendar.getAllSubcomponents('vevent').map((component) => {
  const event = new ICAL.Event(component);
  const time = (value) => value && { day: value.isDate, at: value.toJSDate().toISOString(), text: value.toString() };
  return {
    uid: event.uid,
    sequence: event.sequence,
    stamp: component.getFirstPropertyValue('dtstamp').toString(),
    start: time(event.startDate),
    end: component.hasProperty('dtend') ? time(event.endDate) : null,
    occurrence: time(component.getFirstPropertyValue('recurrence-id')),
    title: event.summary ?? '',
    location: event.location ?? '',
    description: event.description ?? '',
    status: component.getFirstPropertyValue('status') ?? '',
    organizer: person(component.getFirstProperty('organizer')),
    attendees: event.attendees.map(person),
    names: [...new Set(component.getAllProperties().map((property) => property.name))].sort(),
  };
});
process.stdout.write(JSON.stringify({ method: calendar.getFirstPropertyValue('method'), events: told }));
